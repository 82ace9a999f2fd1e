/**
 * The new indexes contain only the tenants that a job must visit. So a run without work costs the same for any number
 * of tenants.
 */
export const tenantsToVisit = `
alter table eaas.audit_heads add column uncounted boolean not null default false;
update eaas.audit_heads h set uncounted = true where not exists (
  select from eaas.usage_cursors c
  where c.tenant_id = h.tenant_id and h.id <= c.counted_through and h.id <= c.summed_through + 10000);
alter table eaas.audit_heads alter column uncounted set default true;
create index audit_heads_uncounted on eaas.audit_heads (tenant_id) where uncounted;

-- The oldest entry of the tenant is not older than this time.
alter table eaas.usage_cursors add column oldest_at bigint not null default 0;
create index usage_cursors_by_oldest on eaas.usage_cursors (oldest_at);

-- An append that finds the column already true changes no index, so it remains a heap-only update.
create or replace function eaas.append(
  tenant uuid, expected_id bigint, expected_hash bytea, expected_state_id bigint,
  next_id bigint, next_hash bytea, next_state_id bigint, next_state_hash bytea, next_created_at bigint,
  next_month text, next_encrypts bigint, next_mac bytea,
  moment bigint, entries text, seals bytea
) returns text language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $$
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
    (first int, last int, nth int, action text, key_id uuid, key_version bigint, actor text, ip_address text, metadata text),
    generate_series(coalesce(first, nth), coalesce(last, nth)) as number;
  return 'written ' || present;
end $$;
`;
