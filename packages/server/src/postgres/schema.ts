// The tables of the core, and what the database itself enforces: the log only grows, and rows go only forward. What writes
// rows is in functions.ts. `migrate` applies all of it.
import { guard } from './guard.ts';
import { issuers } from './issuer-tables.ts';
import { nights } from './night-tables.ts';
import { people } from './people-tables.ts';
import { publicLog } from './public-log-tables.ts';
import { isRare, noId, storedTables } from './tables.ts';

/**
 * The tenant is first in every primary key, so that the tables can be sharded by tenant. Times are integers (milliseconds
 * since 1970), because the MAC of a row needs exactly one encoding of each value. Rows of tenants are written under the head
 * that they belong to, so a foreign key stands only where a row is written without it.
 */
const tables = `
create function eaas.now_ms() returns bigint language sql volatile
  return (extract(epoch from clock_timestamp()) * 1000)::bigint;

create table eaas.root_checks (
  root_id bytea primary key,
  sealed bytea not null
);

create table eaas.tenants (
  tenant_id uuid primary key,
  name text not null,
  envelope_only boolean not null,
  monthly_encrypt_quota bigint,
  created_at bigint not null,
  root_id bytea not null,
  sealed_secret bytea not null,
  rev bigint not null,
  mac bytea not null
);
create index tenants_by_name on eaas.tenants (name);

create table eaas.audit_heads (
  tenant_id uuid primary key,
  id bigint not null,
  hash bytea not null,
  sum bytea not null,
  nonce bytea not null,
  created_at bigint not null,
  month text not null,
  encrypts bigint not null,
  mac bytea not null
) with (fillfactor = 50);

-- The nonce of a link stands beside its first entry.
create table eaas.audit_entries (
  tenant_id uuid not null,
  id bigint not null,
  action text not null,
  key_id uuid,
  key_version bigint,
  actor text not null,
  ip_address text,
  metadata text not null,
  created_at bigint not null,
  salt bytea not null,
  hash bytea not null,
  mac bytea not null,
  nonce bytea,
  primary key (tenant_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02);
create index audit_entries_by_key on eaas.audit_entries (tenant_id, key_id, id);
create index audit_entries_rare on eaas.audit_entries (tenant_id, action, id) where ${isRare};

-- In which blocks of 1,024 ids somebody, a frequent action, or both together have an entry. An index of all entries by actor and
-- by action would be a third of what an append costs.
create table eaas.audit_blocks (
  tenant_id uuid not null,
  of text not null,
  block bigint not null,
  primary key (tenant_id, of, block)
);
create function eaas.blocks_of(action text, actor text) returns text[] language sql immutable
  return array['by ' || actor] || case when not (${isRare}) then array[action, action || ' by ' || actor] end;

create table eaas.audit_anchors (
  tenant_id uuid primary key,
  id bigint not null,
  hash bytea not null,
  mac bytea not null
);

create table eaas.keys (
  tenant_id uuid not null,
  key_id uuid not null,
  name text not null,
  key_version bigint not null,
  status text not null,
  exportable boolean not null,
  created_at bigint not null,
  rotated_at bigint,
  interval_days integer,
  next_rotation_at bigint,
  destroy_at bigint,
  min_version bigint not null,
  sealed_hash_key bytea,
  created_id bigint not null,
  rev bigint not null,
  mac bytea not null,
  primary key (tenant_id, key_id)
);
create unique index keys_by_name on eaas.keys (tenant_id, name) where status <> 'destroyed';
create index keys_by_any_name on eaas.keys (tenant_id, name);
create index keys_by_status on eaas.keys (tenant_id, status, created_id);
create index keys_by_age on eaas.keys (tenant_id, created_id);
create index keys_by_next_rotation on eaas.keys (next_rotation_at) where next_rotation_at is not null;
create index keys_by_destroy_at on eaas.keys (destroy_at) where destroy_at is not null;

create table eaas.key_versions (
  tenant_id uuid not null,
  key_id uuid not null,
  key_version bigint not null,
  created_at bigint not null,
  sealed bytea,
  primary key (tenant_id, key_id, key_version)
);

create table eaas.api_keys (
  tenant_id uuid not null,
  api_key_id uuid not null,
  name text not null,
  hint text not null,
  token_hash bytea not null,
  permissions text[] not null,
  key_ids uuid[],
  allowed_origins text[],
  expires_at bigint,
  created_at bigint not null,
  created_by text not null,
  revoked_at bigint,
  created_id bigint not null,
  rev bigint not null,
  mac bytea not null,
  primary key (tenant_id, api_key_id)
);
create index api_keys_by_token on eaas.api_keys (token_hash);
create index api_keys_by_age on eaas.api_keys (tenant_id, created_id);
create index api_keys_unrevoked on eaas.api_keys (tenant_id) where revoked_at is null;

create table eaas.api_key_uses (
  tenant_id uuid not null,
  api_key_id uuid not null,
  last_used_at bigint not null,
  primary key (tenant_id, api_key_id),
  foreign key (tenant_id, api_key_id) references eaas.api_keys
);

-- If the rev of a row differs from its newest record, an older row was put back.
create table eaas.row_records (
  tenant_id uuid not null,
  row_id uuid not null,
  rev bigint not null,
  primary key (tenant_id, row_id, rev)
);
create index row_records_by_rev on eaas.row_records (tenant_id, rev);

-- Zeros stand for no key and no version.
create table eaas.tallies (
  tenant_id uuid not null,
  key_id uuid not null,
  key_version bigint not null,
  action text not null,
  month text not null,
  n bigint not null,
  refused bigint not null,
  purged bigint not null,
  last_at bigint not null,
  primary key (tenant_id, key_id, key_version, action, month)
) with (fillfactor = 50);
create index tallies_by_action on eaas.tallies (tenant_id, action);
create index tallies_by_month on eaas.tallies (tenant_id, month);

create table eaas.row_counts (
  tenant_id uuid not null,
  counted text not null,
  kind text not null,
  n bigint not null,
  primary key (tenant_id, counted, kind)
) with (fillfactor = 50);

create table eaas.leases (
  job text primary key,
  holder uuid not null,
  fence bigint not null,
  expires_at bigint not null
);
`;

const immutable = ['audit_entries', 'row_records'];
const forward = ['audit_heads', 'audit_anchors'];
const ofTenants = [...storedTables.keys(), 'row_records', 'row_counts'];
const kept = [...storedTables.values()].flatMap(({ name, mayBeLost }) => (mayBeLost ? [] : [name]));

const refusals = `
create function eaas.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('eaas.erasing', true) = old.tenant_id::text then
    return old;
  end if;
  raise exception 'eaas.% is append-only: % is refused', tg_table_name, tg_op
    using errcode = 'insufficient_privilege';
end $$;

create function eaas.refuse_backwards() returns trigger language plpgsql as $$
begin
  raise exception 'eaas.% never goes back: % after %', tg_table_name, new.id, old.id
    using errcode = 'insufficient_privilege';
end $$;

create function eaas.refuse_truncate() returns trigger language plpgsql as $$
begin
  raise exception 'eaas.% must not be truncated', tg_table_name using errcode = 'insufficient_privilege';
end $$;
`;

const guards = `
${immutable.map((table) => guard(table, 'immutable', 'update or delete', 'refuse_change')).join('')}
${forward.map((table) => guard(table, 'forward', 'update', 'refuse_backwards', 'when (new.id < old.id)')).join('')}
${[...kept, 'row_records'].map((table) => guard(table, 'no_truncate', 'truncate', 'refuse_truncate')).join('')}
`;

const erasing = `
create function eaas.purge_entries(tenant uuid, through bigint) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  gone bigint;
  first bigint;
  counts json;
begin
  if through is distinct from (select id from eaas.audit_anchors where tenant_id = tenant) then
    raise exception 'entries are purged up to the recorded anchor only';
  end if;
  select min(id) into first from eaas.audit_entries where tenant_id = tenant;
  select json_agg(t) into counts from (
    select coalesce(key_id, '${noId}') as key_id, coalesce(key_version, 0) as key_version, action,
      to_char(to_timestamp(created_at / 1000.0) at time zone 'UTC', 'YYYY-MM') as month, count(*) as purged,
      max(created_at) as last_at
    from eaas.audit_entries where tenant_id = tenant and id <= through group by 1, 2, 3, 4) t;
  -- Of the last block some entries can stay. A block without an entry shows nothing.
  delete from eaas.audit_blocks where tenant_id = tenant and block < (through + 1) >> 10 and of in (
    select distinct unnest(eaas.blocks_of(action, actor)) from eaas.audit_entries
    where tenant_id = tenant and id <= through);
  perform set_config('eaas.erasing', tenant::text, true);
  delete from eaas.audit_entries where tenant_id = tenant and id <= through;
  get diagnostics gone = row_count;
  -- Written last, because appends wait for these rows.
  insert into eaas.tallies as known (tenant_id, key_id, key_version, action, month, n, refused, purged, last_at)
  select tenant, key_id, key_version, action, month, 0, 0, purged, last_at
  from json_populate_recordset(null::eaas.tallies, counts)
  on conflict (tenant_id, key_id, key_version, action, month) do update set purged = known.purged + excluded.purged;
  delete from eaas.row_records old using eaas.row_records newer
  where newer.tenant_id = tenant and newer.rev between first and through
    and old.tenant_id = tenant and old.row_id = newer.row_id and old.rev < newer.rev;
  perform set_config('eaas.erasing', '', true);
  return gone;
end $$;
revoke all on function eaas.purge_entries(uuid, bigint) from public;

create function eaas.destroy_tenant(tenant uuid) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('eaas.erasing', tenant::text, true);
  ${ofTenants
    .toReversed()
    .map((name) => `delete from eaas.${name} where tenant_id = tenant;`)
    .join('\n  ')}
  perform set_config('eaas.erasing', '', true);
end $$;
revoke all on function eaas.destroy_tenant(uuid) from public;
`;

/** Null in rows of services without the plugin. */
const intake = 'alter table eaas.keys add column intake boolean;';

export const schema = tables + refusals + people + issuers + intake + publicLog + nights + guards + erasing;
