/** The SQL function eaas.append uses only rows of one tenant, so that it can run on the tenant's shard. */
export const append = `
create function eaas.append(
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
    created_at = next_created_at, month = next_month, encrypts = next_encrypts, mac = next_mac
  where tenant_id = tenant and id = expected_id and hash = expected_hash and state_id = expected_state_id;
  if not found then
    return 'moved ' || present;
  end if;
  insert into eaas.audit_entries
    (tenant_id, id, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac)
  select tenant, expected_id + nth, action, key_id, key_version, actor, ip_address, metadata, next_created_at,
    substr(seals, 64 * nth - 63, 32), substr(seals, 64 * nth - 31, 32)
  from json_to_recordset(entries::json) as entry
    (nth int, action text, key_id uuid, key_version bigint, actor text, ip_address text, metadata text);
  return 'written ' || present;
end $$;
revoke all on function eaas.append(
  uuid, bigint, bytea, bigint, bigint, bytea, bigint, bytea, bigint, text, bigint, bytea, bigint, text, bytea) from public;
`;
