-- Run once by the database's container, on an empty volume, as the superuser.
\getenv owner_password EAAS_OWNER_PASSWORD
\getenv server_password EAAS_SERVER_PASSWORD

-- Owns the tables: for `eaas migrate` and `eaas tenant destroy`.
create role eaas_owner login password :'owner_password';
-- Serves: `eaas migrate` grants it what it needs and no more.
create role eaas_server login password :'server_password';
-- What the server gave up on ends, and does not pile up.
alter role eaas_server set client_connection_check_interval = '1s';

create database eaas owner eaas_owner encoding 'UTF8' locale 'C' template template0;
revoke all on database eaas from public;
grant connect on database eaas to eaas_server;
