// The SQL functions that write and erase rows: `eaas.append` is all of an append, `eaas.append_all` of those of many tenants, and
// `eaas.create_tenant` begins a tenant. `migrate` makes them anew after its steps, because no stored data depend on their texts:
// a change of one comes with a step, even an empty one, so that older servers know that the database is ahead of them.
import type { Catalogue } from './catalogue.ts';
import { noId, type StoredTable, storedTables } from './tables.ts';

/**
 * The functions for tables with the columns of a catalogue. Those that append have the rights of their caller, so they need no search
 * path, which would cost 6 µs. They use only rows of one tenant, whose id comes from the parameter, and the clock is a variable: so
 * Citus can run them where the tenant's rows are.
 */
export function tenantFunctions(catalogue: Catalogue): string {
  const writing = [...storedTables.values()]
    .filter(({ isLoose }) => !isLoose)
    .map((table) => writeRows(table, catalogue))
    .join('');
  return append(writing) + appendAll + createTenant(writing) + purgeEntries + destroyTenant;
}

/** Bytes come as text in hexadecimal, which the type of the column takes. */
function writeRows({ name, id, updatable, counted }: StoredTable, catalogue: Catalogue): string {
  const key = [...new Set(['tenant_id', ...id])];
  const columns = Object.keys(catalogue).filter((object) => object.startsWith(`column ${name}.`));
  const others = columns
    .map((object) => object.replace(/.*\./, ''))
    .filter((column) => column !== 'tenant_id');
  const set = (updatable ?? others.filter((column) => !key.includes(column)))
    .map((column) => `${column} = excluded.${column}`)
    .join(', ');
  const written = `jsonb_populate_recordset(null::eaas.${name}, rows -> '${name}')`;
  return `
    if rows ? '${name}' then${counted ? countRows(name, key, counted.group, written) : ''}
      insert into eaas.${name} (${['tenant_id', ...others].join(', ')})
      select ${['tenant', ...others].join(', ')} from ${written}
      on conflict (${key.join(', ')}) do update set ${set};
    end if;`;
}

/** The lock of the head orders the changes of a tenant, so a row of the counts is never contended. */
function countRows(name: string, key: readonly string[], group: string, written: string): string {
  const kind = `coalesce(${group}, 'null')`;
  const same = key
    .map((column) => `${column} = ${column === 'tenant_id' ? 'tenant' : `new.${column}`}`)
    .join(' and ');
  return `
      insert into eaas.row_counts as known (tenant_id, counted, kind, n)
      select tenant, '${name}', kind, sum(change) from (
        select ${kind} as kind, 1 as change from ${written}
        union all
        select kind, -1 from ${written} as new
          cross join lateral (select ${kind} as kind from eaas.${name} where ${same} limit 1) old
      ) changes group by kind having sum(change) <> 0
      on conflict (tenant_id, counted, kind) do update set n = known.n + excluded.n;`;
}

const records = `
    if rows ? 'row_records' then
      insert into eaas.row_records (tenant_id, row_id, rev)
      select tenant, row_id, rev from jsonb_populate_recordset(null::eaas.row_records, rows -> 'row_records');
    end if;`;

/** What an append knows of the two heads, and the time that it was judged at. */
const link = `
  tenant uuid, expected_id bigint, expected_mac bytea,
  next_id bigint, next_hash bytea, next_sum bytea, next_nonce bytea, next_created_at bigint, next_month text,
  next_encrypts bigint, next_mac bytea, moment bigint`;

const isTimely = 'moment between present - 10000 and present + 1000';

/** What becomes of the head, by columns of a link that stand in `of`. */
const nextHead = (of = ''): string =>
  ['id', 'hash', 'sum', 'nonce', 'created_at', 'month', 'encrypts', 'mac']
    .map((column) => `${column} = ${of}next_${column}`)
    .join(', ');

/** What appends write beside heads and rows, of one link, or of those that `links` joins. `skipped`: how many seals stand before. */
const writeEntries = (links = '', on = ''): string => `
  insert into eaas.audit_entries
    (tenant_id, id, action, key_id, key_version, actor, ip_address, metadata, created_at, hash, mac, salt, nonce)
  select tenant, expected_id + number, action, key_id, key_version, actor, ip_address, metadata, next_created_at,
    substr(seals, 80 * (skipped + number) - 79, 32), substr(seals, 80 * (skipped + number) - 47, 32),
    substr(seals, 80 * (skipped + number) - 15, 16), case when number = 1 then next_nonce end
  from ${links}json_to_recordset(runs) as run (of int,
    first int, last int, action text, key_id uuid, key_version bigint, actor text, ip_address text, metadata text)${on},
    generate_series(first, last) as number;
  if blocks is not null then
    insert into eaas.audit_blocks (tenant_id, of, block)
    select tenant, substr(name, strpos(name, ' ') + 1), split_part(name, ' ', 1)::bigint
    from ${links}json_to_recordset(blocks) as block (of int, name text)${on}
    on conflict do nothing;
  end if;
  insert into eaas.tallies as known (tenant_id, key_id, key_version, action, month, n, refused, purged, last_at)
  select tenant, coalesce(key_id, '${noId}'), coalesce(key_version, 0), action, next_month, n, refused, 0, next_created_at
  from ${links}json_to_recordset(counts) as tally
    (of int, key_id uuid, key_version bigint, action text, n bigint, refused bigint)${on}
  on conflict (tenant_id, key_id, key_version, action, month) do update
    set n = known.n + excluded.n, refused = known.refused + excluded.refused,
      last_at = case when excluded.n > 0 then excluded.last_at else known.last_at end;`;

const append = (writing: string): string => `
create or replace function eaas.append(${link}, runs json, seals bytea, blocks json, counts json, rows jsonb
) returns text language plpgsql set lock_timeout = '1s' as $$
declare
  present bigint := eaas.now_ms();
  skipped int := 0;
begin
  if not (${isTimely}) then
    return 'clock ' || present;
  end if;
  update eaas.audit_heads set ${nextHead()}
  where tenant_id = tenant and id = expected_id and mac = expected_mac;
  if not found then
    return 'moved ' || present || coalesce((select ' ' || to_json(h) from eaas.audit_heads h where tenant_id = tenant), '');
  end if;${writeEntries()}
  if rows is not null then${records}${writing}
  end if;
  return 'written ' || present;
end $$;
revoke all on function eaas.append from public;
`;

/**
 * Appends links of different tenants, none of which writes rows. Returns the time, the numbers of those that it wrote, and the heads
 * of those that moved. It waits for nobody's lock: what is left, `eaas.append` writes or refuses. The heads are found one by one,
 * because a plan for all of them at once can scan the whole table.
 */
const appendAll = `
create or replace function eaas.append_all(links json, runs json, seals bytea, blocks json, counts json) returns text
language plpgsql set lock_timeout = '1s' as $$
declare
  present bigint := eaas.now_ms();
  written int[] := '{}';
  moved jsonb := '{}';
  own record;
begin
  for own in select * from json_to_recordset(links) as link (nth int, ${link})
    where ${isTimely}
  loop
    update eaas.audit_heads set ${nextHead('own.')}
    where ctid = (
      select ctid from eaas.audit_heads where tenant_id = own.tenant and id = own.expected_id and mac = own.expected_mac
      for update skip locked);
    if found then
      written := written || own.nth;
    else
      moved := moved || coalesce((select jsonb_build_object(own.nth, to_jsonb(h)) from eaas.audit_heads h
        where tenant_id = own.tenant and mac <> own.expected_mac), '{}');
    end if;
  end loop;${writeEntries(
    `json_to_recordset(links) as link (nth int, skipped int, ${link})
    join `,
    ' on of = nth and nth = any (written)',
  )}
  return json_build_object('time', present, 'written', written, 'moved', moved);
end $$;
revoke all on function eaas.append_all from public;
`;

const createTenant = (writing: string): string => `
create or replace function eaas.create_tenant(
  tenant uuid, head_id bigint, head_hash bytea, head_sum bytea, head_nonce bytea, head_created_at bigint, head_month text,
  head_encrypts bigint, head_mac bytea, rows jsonb
) returns void language plpgsql as $$
begin
  insert into eaas.audit_heads (tenant_id, id, hash, sum, nonce, created_at, month, encrypts, mac)
  values (tenant, head_id, head_hash, head_sum, head_nonce, head_created_at, head_month, head_encrypts, head_mac);
  ${records}${writing}
end $$;
revoke all on function eaas.create_tenant from public;
`;

const purgeEntries = `
create or replace function eaas.purge_entries(tenant uuid, through bigint) returns bigint
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
revoke all on function eaas.purge_entries from public;
`;

const ofTenants = [...storedTables.keys(), 'row_records', 'row_counts'];

/** What refers to other rows goes before them. */
const destroyTenant = `
create or replace function eaas.destroy_tenant(tenant uuid) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('eaas.erasing', tenant::text, true);
  ${ofTenants
    .toReversed()
    .map((name) => `delete from eaas.${name} where tenant_id = tenant;`)
    .join('\n  ')}
  perform set_config('eaas.erasing', '', true);
end $$;
revoke all on function eaas.destroy_tenant from public;
`;
