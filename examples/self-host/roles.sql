-- The database's container runs this file once, on an empty volume, as the superuser.
\getenv owner_password EAAS_OWNER_PASSWORD
\getenv server_password EAAS_SERVER_PASSWORD

-- Owns the tables. `eaas migrate` and `eaas tenant destroy` use this role.
create role eaas_owner login password :'owner_password';
-- The servers use this role. `eaas migrate` grants it only the rights that it needs.
create role eaas_server login password :'server_password';
-- Lets PostgreSQL cancel queries of clients that have disconnected.
alter role eaas_server set client_connection_check_interval = '1s';

create database eaas owner eaas_owner encoding 'UTF8' locale 'C' template template0;
revoke all on database eaas from public;
grant connect on database eaas to eaas_server;
