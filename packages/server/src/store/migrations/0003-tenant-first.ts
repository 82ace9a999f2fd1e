/** The tenant is first in every primary key, so that the tables can be sharded by tenant. */
export const tenantFirst = `
create function eaas.now_ms() returns bigint language sql volatile
  return (extract(epoch from clock_timestamp()) * 1000)::bigint;

alter table eaas.key_versions drop constraint key_versions_key_id_fkey, drop constraint key_versions_pkey;
alter table eaas.api_key_uses drop constraint api_key_uses_api_key_id_fkey, drop constraint api_key_uses_pkey;
alter table eaas.keys drop constraint keys_pkey, add primary key (tenant_id, key_id);
alter table eaas.api_keys drop constraint api_keys_pkey, drop constraint api_keys_token_hash_key,
  add primary key (tenant_id, api_key_id);
create unique index api_keys_by_token on eaas.api_keys (tenant_id, token_hash);
alter table eaas.key_versions add primary key (tenant_id, key_id, key_version),
  add foreign key (tenant_id, key_id) references eaas.keys;
alter table eaas.api_key_uses add primary key (tenant_id, api_key_id),
  add foreign key (tenant_id, api_key_id) references eaas.api_keys;
alter table eaas.tenants drop constraint tenants_name_key;

-- A directory row grants nothing, because the tenant's own row decides.
create table eaas.token_directory (
  token_hash bytea primary key,
  tenant_id uuid not null,
  created_at bigint not null default eaas.now_ms()
);
create table eaas.tenant_names (
  name text primary key,
  tenant_id uuid not null,
  created_at bigint not null default eaas.now_ms()
);
insert into eaas.token_directory (token_hash, tenant_id) select token_hash, tenant_id from eaas.api_keys;
insert into eaas.tenant_names (name, tenant_id) select name, tenant_id from eaas.tenants;

-- If the rev of a row differs from its newest record, an older row was put back.
create table eaas.row_records (
  tenant_id uuid not null,
  subject uuid not null,
  rev bigint not null,
  primary key (tenant_id, subject, rev)
);
create index row_records_by_rev on eaas.row_records (tenant_id, rev);
insert into eaas.row_records (tenant_id, subject, rev)
  select tenant_id, tenant_id, rev from eaas.tenants
  union all select tenant_id, key_id, rev from eaas.keys
  union all select tenant_id, api_key_id, rev from eaas.api_keys;

create trigger row_records_immutable before update or delete on eaas.row_records
  for each row execute function eaas.refuse_change();
alter table eaas.row_records enable always trigger row_records_immutable;
create trigger row_records_no_truncate before truncate on eaas.row_records
  for each statement execute function eaas.refuse_truncate();
alter table eaas.row_records enable always trigger row_records_no_truncate;

-- The hash identifies the state, because a restored database uses ids again.
alter table eaas.audit_heads add column state_hash bytea;

create table eaas.leases (
  job text primary key,
  holder uuid not null,
  fence bigint not null,
  expires_at bigint not null
);

create table eaas.verification_markers (
  tenant_id uuid primary key,
  id bigint not null,
  hash bytea not null,
  valid boolean not null,
  findings text not null,
  finished_at bigint not null,
  mac bytea not null
);

create or replace function eaas.purge_entries(tenant uuid, through bigint) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  gone bigint;
  first bigint;
begin
  if through is distinct from (select id from eaas.audit_anchors where tenant_id = tenant) then
    raise exception 'entries are purged up to the recorded anchor only';
  end if;
  select min(id) into first from eaas.audit_entries where tenant_id = tenant;
  perform set_config('eaas.erasing', tenant::text, true);
  delete from eaas.audit_entries where tenant_id = tenant and id <= through;
  get diagnostics gone = row_count;
  delete from eaas.row_records old using eaas.row_records newer
  where newer.tenant_id = tenant and newer.rev between first and through
    and old.tenant_id = tenant and old.subject = newer.subject and old.rev < newer.rev;
  perform set_config('eaas.erasing', '', true);
  return gone;
end $$;

create or replace function eaas.destroy_tenant(tenant uuid) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('eaas.erasing', tenant::text, true);
  delete from eaas.verification_markers where tenant_id = tenant;
  delete from eaas.api_key_uses where tenant_id = tenant;
  delete from eaas.key_version_uses where tenant_id = tenant;
  delete from eaas.usage where tenant_id = tenant;
  delete from eaas.usage_cursors where tenant_id = tenant;
  delete from eaas.audit_entries where tenant_id = tenant;
  delete from eaas.audit_anchors where tenant_id = tenant;
  delete from eaas.audit_heads where tenant_id = tenant;
  delete from eaas.key_versions where tenant_id = tenant;
  delete from eaas.keys where tenant_id = tenant;
  delete from eaas.api_keys where tenant_id = tenant;
  delete from eaas.row_records where tenant_id = tenant;
  delete from eaas.tenants where tenant_id = tenant;
  perform set_config('eaas.erasing', '', true);
end $$;
`;
