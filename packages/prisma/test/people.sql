create table patients (id int primary key, name text, ssn text, ssn_index text unique, city text);
create table visits (id uuid primary key, kind text not null default 'first', note text, patient_id int references patients (id),
  first_id uuid references visits (id));
create table persons (id uuid primary key, subject uuid unique not null, name text);
create table letters (id text primary key, text text, tenant text not null, owner uuid not null references persons (subject));
create table "Numbered rows" (
  "number of the row" serial primary key, name text, "ofId" integer references "Numbered rows"
);
create table users (id text primary key, email text, email_index text, code text, code_index text unique);
create view people as select id, email as mail, email_index as mail_index, code as tag, code_index as tag_index from users;
