// What the database itself enforces: the log only grows, rows go only forward, and an append is one compare-and-set.

/**
 * `enable always` makes a trigger fire even under `session_replication_role`. TRUNCATE has triggers of its own, because
 * it fires no row triggers.
 */
export function guard(table: string, name: string, moment: string, refusal: string, condition = ''): string {
  return `
create trigger ${table}_${name} before ${moment} on eaas.${table}
  for each ${moment === 'truncate' ? 'statement' : 'row'} ${condition} execute function eaas.${refusal}();
alter table eaas.${table} enable always trigger ${table}_${name};`;
}

const immutable = ['audit_entries', 'row_records'];
const forward = ['audit_heads', 'audit_anchors'];
const kept = [...immutable, ...forward, 'tenants', 'keys', 'key_versions', 'subjects', 'api_keys', 'issuers'];

export const guards = `
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
${immutable.map((table) => guard(table, 'immutable', 'update or delete', 'refuse_change')).join('')}
${forward.map((table) => guard(table, 'forward', 'update', 'refuse_backwards', 'when (new.id < old.id)')).join('')}
${kept.map((table) => guard(table, 'no_truncate', 'truncate', 'refuse_truncate')).join('')}

-- The lock of the tenant's head orders the changes of keys, so a row of key_counts is never contended.
create function eaas.count_key() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op <> 'INSERT' then
    update eaas.key_counts set count = count - 1 where tenant_id = old.tenant_id and status = old.status;
  end if;
  if tg_op <> 'DELETE' then
    insert into eaas.key_counts as known (tenant_id, status, count) values (new.tenant_id, new.status, 1)
      on conflict (tenant_id, status) do update set count = known.count + 1;
  end if;
  return null;
end $$;
revoke all on function eaas.count_key() from public;
create trigger keys_counted after insert or delete or update of status, tenant_id on eaas.keys
  for each row execute function eaas.count_key();

-- Subjects are never deleted alone, and the lock of the tenant's head orders their inserts and erasures too.
create function eaas.count_subjects() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    update eaas.subject_counts set count = count - 1 where tenant_id = new.tenant_id;
    return null;
  end if;
  insert into eaas.subject_counts as known (tenant_id, count)
    select tenant_id, count(*) from added where erased_id is null group by tenant_id
    on conflict (tenant_id) do update set count = known.count + excluded.count;
  return null;
end $$;
revoke all on function eaas.count_subjects() from public;
create trigger subjects_counted after insert on eaas.subjects referencing new table as added
  for each statement execute function eaas.count_subjects();
create trigger subjects_uncounted after update of erased_id on eaas.subjects
  for each row when (old.erased_id is null and new.erased_id is not null) execute function eaas.count_subjects();
`;

export const functions = `
-- Binary search: ids have no gaps, and times never decrease.
create function eaas.first_entry_since(tenant uuid, moment bigint, first bigint, last bigint) returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  low bigint := first;
  high bigint := last + 1;
  middle bigint;
begin
  while low < high loop
    middle := (low + high) / 2;
    if (select created_at from eaas.audit_entries where tenant_id = tenant and id = middle) < moment then
      low := middle + 1;
    else
      high := middle;
    end if;
  end loop;
  return low;
end $$;

create function eaas.purge_entries(tenant uuid, through bigint) returns bigint
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
    and old.tenant_id = tenant and old.row_id = newer.row_id and old.rev < newer.rev;
  perform set_config('eaas.erasing', '', true);
  return gone;
end $$;
revoke all on function eaas.purge_entries(uuid, bigint) from public;

create function eaas.destroy_tenant(tenant uuid) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('eaas.erasing', tenant::text, true);
  delete from eaas.log_proofs where tenant_id = tenant;
  delete from eaas.entry_counts where tenant_id = tenant;
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
  delete from eaas.subjects where tenant_id = tenant;
  delete from eaas.subject_counts where tenant_id = tenant;
  delete from eaas.key_counts where tenant_id = tenant;
  delete from eaas.api_keys where tenant_id = tenant;
  delete from eaas.key_sets where tenant_id = tenant;
  delete from eaas.issuers where tenant_id = tenant;
  delete from eaas.row_records where tenant_id = tenant;
  delete from eaas.tenants where tenant_id = tenant;
  perform set_config('eaas.erasing', '', true);
end $$;
revoke all on function eaas.destroy_tenant(uuid) from public;
`;

/**
 * The function uses only rows of one tenant, so that it can run on the tenant's shard. `rows` has the rows that commit with
 * the entries, as lists by the names of their tables. It has the rights of its caller, so it needs no search path of its own, which
 * would cost 6 µs. An update that finds `uncounted`
 * already true changes no index, so it remains a heap-only update.
 */
export const append = `
create function eaas.append(
  tenant uuid, expected_id bigint, expected_hash bytea, expected_state_id bigint,
  next_id bigint, next_hash bytea, next_state_id bigint, next_state_hash bytea, next_created_at bigint,
  next_month text, next_encrypts bigint, next_mac bytea,
  moment bigint, entries text, seals bytea, rows json default null
) returns text language plpgsql set lock_timeout = '1s' as $$
declare
  present bigint := eaas.now_ms();
begin
  if moment not between present - 10000 and present + 1000 then
    return 'clock ' || present;
  end if;
  update eaas.audit_heads set id = next_id, hash = next_hash, state_id = next_state_id, state_hash = next_state_hash,
    created_at = next_created_at, month = next_month, encrypts = next_encrypts, mac = next_mac, uncounted = true
  where tenant_id = tenant and id = expected_id and hash = expected_hash and state_id = expected_state_id;
  if not found then
    return 'moved ' || present;
  end if;
  insert into eaas.audit_entries
    (tenant_id, id, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac)
  select tenant, expected_id + number, action, key_id, key_version, actor, ip_address, metadata, next_created_at,
    substr(seals, 64 * number - 63, 32), substr(seals, 64 * number - 31, 32)
  from json_to_recordset(entries::json) as run
    (first int, last int, action text, key_id uuid, key_version bigint, actor text, ip_address text, metadata text),
    generate_series(first, last) as number;
  if rows is not null then
    insert into eaas.row_records (tenant_id, row_id, rev)
    select tenant, row_id, rev from json_to_recordset(rows -> 'row_records') as record (row_id uuid, rev bigint);
    insert into eaas.subjects (tenant_id, subject_id, sealed, created_id, created_at, mac)
    select tenant, decode(subject_id, 'hex'), decode(sealed, 'hex'), created_id, next_created_at, decode(mac, 'hex')
    from json_to_recordset(rows -> 'subjects') as subject (subject_id text, sealed text, created_id bigint, mac text);
  end if;
  return 'written ' || present;
end $$;
revoke all on function eaas.append(
  uuid, bigint, bytea, bigint, bigint, bytea, bigint, bytea, bigint, text, bigint, bytea, bigint, text, bytea, json) from public;
`;
