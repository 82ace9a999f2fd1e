const guarded = [
  'audit_entries',
  'audit_heads',
  'audit_anchors',
  'tenants',
  'keys',
  'key_versions',
  'api_keys',
];

/**
 * `enable always` makes the triggers fire even under `session_replication_role`. TRUNCATE has separate triggers,
 * because it fires no row triggers.
 */
export const guards = `
create function eaas.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('eaas.erasing', true) = old.tenant_id::text then
    return old;
  end if;
  raise exception 'eaas.% is append-only: % is refused', tg_table_name, tg_op
    using errcode = 'insufficient_privilege';
end $$;

create trigger audit_entries_immutable before update or delete on eaas.audit_entries
  for each row execute function eaas.refuse_change();
alter table eaas.audit_entries enable always trigger audit_entries_immutable;

create function eaas.refuse_backwards() returns trigger language plpgsql as $$
begin
  if new.id < old.id then
    raise exception 'eaas.% never goes back: % after %', tg_table_name, new.id, old.id
      using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;

create trigger audit_heads_forward before update on eaas.audit_heads
  for each row execute function eaas.refuse_backwards();
alter table eaas.audit_heads enable always trigger audit_heads_forward;
create trigger audit_anchors_forward before update on eaas.audit_anchors
  for each row execute function eaas.refuse_backwards();
alter table eaas.audit_anchors enable always trigger audit_anchors_forward;

create function eaas.refuse_truncate() returns trigger language plpgsql as $$
begin
  raise exception 'eaas.% must not be truncated', tg_table_name using errcode = 'insufficient_privilege';
end $$;
${guarded
  .map(
    (table) => `
create trigger ${table}_no_truncate before truncate on eaas.${table}
  for each statement execute function eaas.refuse_truncate();
alter table eaas.${table} enable always trigger ${table}_no_truncate;`,
  )
  .join('')}

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
declare gone bigint;
begin
  if through is distinct from (select id from eaas.audit_anchors where tenant_id = tenant) then
    raise exception 'entries are purged up to the recorded anchor only';
  end if;
  perform set_config('eaas.erasing', tenant::text, true);
  delete from eaas.audit_entries where tenant_id = tenant and id <= through;
  get diagnostics gone = row_count;
  perform set_config('eaas.erasing', '', true);
  return gone;
end $$;
revoke all on function eaas.purge_entries(uuid, bigint) from public;

create function eaas.destroy_tenant(tenant uuid) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('eaas.erasing', tenant::text, true);
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
  delete from eaas.tenants where tenant_id = tenant;
  perform set_config('eaas.erasing', '', true);
end $$;
revoke all on function eaas.destroy_tenant(uuid) from public;
`;
