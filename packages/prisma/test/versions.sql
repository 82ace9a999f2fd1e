create table users (id text primary key, email text, email_index text, code text, code_index text unique);
create view people as select id, email as mail, email_index as mail_index, code as tag, code_index as tag_index from users;
