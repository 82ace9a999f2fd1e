// Queries and named rows as SQL. Each becomes one subquery that returns JSON, so that all needs of a decision are one statement
// and one snapshot. `read.ts` puts them together.
import { parseUuid } from '@eaas/protocol';
import {
  type Found,
  frequentActions,
  idText,
  nameOf,
  type Query,
  type Ref,
  type Stored,
  type Where,
} from '@eaas/service';
import type { Sql } from './sql.ts';
import { joined, type Part, part, raw, statement } from './statement.ts';
import { isRare, requireTable, type StoredTable, typeOf } from './tables.ts';

export type Json = null | string | number | boolean | readonly Json[] | { readonly [name: string]: Json };
export type JsonRow = Readonly<Record<string, Json>>;

/** A subquery that returns JSON, and what it means. */
export interface Asked {
  readonly sql: Part;
  read(json: Json): void;
}

/** All rows with these names in a table, each found by its own search in the primary key. */
export function rowsByName(
  tenantId: string,
  name: string,
  refs: readonly Ref[],
  known: Map<Ref, Stored | null>,
): Asked {
  const table = requireTable(name);
  const ids = refs.map((ref) => idIn(table, ref));
  const wanted = ids.filter((id) => id !== undefined);
  return {
    sql: aggregated(part`select t.* ${newestRev(tenantId, table)} from ${named(tenantId, table, wanted)}`),
    read(json) {
      for (const ref of refs) known.set(ref, null);
      for (const row of json as readonly JsonRow[]) {
        const stored = storedRow(table, row);
        const values = stored.row as Readonly<Record<string, unknown>>;
        known.set(`${name} ${table.id.map((column) => idText(values[column])).join(' ')}`, stored);
      }
    },
  };
}

/** The rows with these ids, as `t`. One is found by a plan that PostgreSQL keeps, instead of planning each time anew. */
function named(tenantId: string, table: StoredTable, ids: readonly (readonly string[])[]): Part {
  const { name, id } = table;
  const [one, ...others] = ids;
  const isOne = one !== undefined && others.length === 0;
  const same = id.map((column, nth) => {
    // The driver would take the text of bytes for their content.
    const value = isOne
      ? part`${one[nth] ?? ''}::text::${sqlType(table, column)}`
      : part`wanted.${raw(column)}`;
    return part`and ${raw(column)} = ${value}`;
  });
  const rows = part`(select * from eaas.${raw(name)} where tenant_id = ${tenantId} ${joined(same)} limit 1) t`;
  if (isOne) return rows;
  const lists = id.map((column, nth) => {
    const values = ids.map((each) => each[nth] ?? '');
    return part`${values}::${sqlType(table, column)}[]`;
  });
  return part`unnest(${joined(lists, ', ')}) as wanted (${raw(id.join(', '))}) cross join lateral ${rows}`;
}

/** Returns the id that a row is named by, or undefined if no row can have it. */
function idIn(table: StoredTable, ref: Ref): string[] | undefined {
  const values = ref.split(' ').slice(1);
  const parts = table.id.map((column, nth) => {
    const value = values[nth] ?? '';
    const type = typeOf(table, column);
    // It is the last part, and can have spaces.
    if (type === 'text') return values.slice(nth).join(' ');
    if (type === 'uuid') return parseUuid(value);
    if (type === 'bytes') return /^([\da-f]{2})*$/.test(value) ? `\\x${value}` : undefined;
    return Number.isSafeInteger(Number(value)) ? value : undefined;
  });
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function sqlType(table: StoredTable, column: string): Part {
  const type = typeOf(table, column);
  return raw({ uuid: 'uuid', bytes: 'bytea', text: 'text' }[type ?? ''] ?? 'bigint');
}

/** The rows that a query finds, with their number and sums if they are wanted. */
export function foundBy(tenantId: string, query: Query<never>, found: Map<string, Found<Stored>>): Asked {
  const table = requireTable(query.table.name);
  const { limit = null, offset = 0, counts, sums = [] } = query;
  const all = matching(tenantId, table, query.where);
  const known = counts === undefined ? part`-1` : knownCount(tenantId, table, query);
  const walk = walkTo(tenantId, table, query, known ? 0 : counts);
  const ids = part`select id from walked ${order(query)} limit ${limit} offset ${offset}`;
  const walked = part`eaas.audit_entries where tenant_id = ${tenantId} and id = any (array(${ids}))`;
  const onPage = walk ? page(table, walked, { ...query, offset: 0 }) : page(table, all, query);
  const listed = part`select t.* ${newestRev(tenantId, table)} from (${onPage}) t ${order(query)}`;
  const rows = limit === 0 ? part`'[]'::json` : aggregated(listed);
  const most = typeof counts === 'number' ? part`limit ${counts}` : part``;
  const total = known ?? part`(select count(*) from (select from ${walk ? part`walked` : all} ${most}) t)`;
  const sum = sums.map((column) => part`${column}::text, coalesce(sum(${raw(column)}), 0)`);
  const summed =
    sums.length === 0 ? part`` : part`, 'sums', (select json_build_object(${joined(sum, ', ')}) from ${all})`;
  return {
    sql: part`(${walk ?? part``} select json_build_object('rows', ${rows}, 'total', ${total} ${summed}))`,
    read(json) {
      const answer = json as unknown as FoundJson;
      found.set(nameOf(query), { ...answer, rows: answer.rows.map((row) => storedRow(table, row)) });
    },
  };
}

type FoundJson = Omit<Found<Stored>, 'rows'> & { readonly rows: readonly JsonRow[] };

/** The rows of a tenant that fulfil all conditions, for `from`. The caller can add conditions with `and`. */
function matching(tenantId: string, table: StoredTable, where: readonly Where[]): Part {
  const all = where.map((one) => part`and ${condition(tenantId, table, one)}`);
  const ofTenant = part`eaas.${raw(table.name)} where tenant_id = ${tenantId}`;
  const isFew = ([column, is]: Where): boolean =>
    (is === '=' || is === 'in') && table.selective?.includes(column) === true;
  if (!where.some(isFew)) return part`${ofTenant} ${joined(all)}`;
  const few = all.filter((_, nth) => isFew(where[nth] as Where));
  // `offset 0` keeps PostgreSQL from merging the two queries.
  return part`(select * from ${ofTenant} ${joined(few)} offset 0) few where true ${joined(all)}`;
}

/**
 * For a filter by actor or by frequent action: the ids of the newest entries, as `walked`, as many as the page and the number
 * `counts` need. Reads only blocks that have such entries, from the newest one on. Undefined if an index finds the entries.
 */
function walkTo(tenantId: string, table: StoredTable, query: Query<never>, counts: true | number = 0) {
  const { where, descending, limit, offset = 0 } = query;
  const named = (column: string) => where.find(([name, is]) => name === column && is === '=')?.[2];
  const action = named('action');
  const actor = named('actor');
  const of = [action ?? [], actor === undefined ? [] : ['by', actor]].flat().join(' ');
  if (!table.expressions || !descending || limit === undefined || of === '') return undefined;
  const isInIndex = action !== undefined && !frequentActions.includes(String(action));
  if (isInIndex || where.some(([column]) => table.expressions?.[column])) return undefined;
  const all = (ones: readonly Where[], id?: string) =>
    joined(ones.map((one) => part`and ${condition(tenantId, table, one, id)}`));
  const bounds = (to: string) => where.filter(([name, is]) => is === to && /^(id|created_at)$/.test(name));
  const most = Math.max(limit + offset, counts === true ? Number.MAX_SAFE_INTEGER : counts);
  // The limit in a block tells PostgreSQL how large it is at most.
  return part`
    with recursive walk (block, ids, n) as (
      select 1::bigint << 53, '{}'::bigint[], 0::bigint
      union all
      select next.block, found.ids, n + cardinality(found.ids)
      from walk
      cross join lateral (
        select block from eaas.audit_blocks
        where tenant_id = ${tenantId} and of = ${of} and block between 0 and walk.block - 1
          ${all(bounds('>='), 'block << 10 | 1023')} ${all(bounds('<='), 'block << 10')}
        order by block desc limit 1) next
      cross join lateral (
        select coalesce(array_agg(id), '{}') as ids from (
          select id from eaas.audit_entries
          where tenant_id = ${tenantId} and id between next.block << 10 and next.block << 10 | 1023 ${all(where)}
          order by id desc limit 1024) entry) found
      where n < ${most}),
    walked (id) as (select unnest(ids) from walk)`;
}

/** `id`: what a condition on ids is about, in SQL. */
function condition(tenantId: string, table: StoredTable, [column, is, value]: Where, id = 'id'): Part {
  const { nulls, expressions } = table;
  const isUuid = typeOf(table, column) === 'uuid';
  const left = raw(column === 'id' ? id : (expressions?.[column] ?? column));
  if (is === 'null') return nulls ? part`${left} = ${nulls[column] ?? null}` : part`${left} is null`;
  if (is === 'filled') return part`${left} is not null`;
  if (typeof value === 'string' && value.includes('\0')) return part`false`;
  if (is === 'has') return part`${value} = any (${left})`;
  // In the index, what begins with a text is the first that does not come before it.
  if (is === 'begins') {
    return part`${left} = any (array(select found.id from unnest(${[...value]}::text[]) as text cross join lateral (
      select ${left} as id from eaas.${raw(table.name)} where tenant_id = ${tenantId} and ${left} >= decode(text, 'hex')
      order by 1 limit 1) found where starts_with(encode(found.id, 'hex'), text)))`;
  }
  if (is === 'in') {
    const values = isUuid ? value.filter((one) => parseUuid(one) !== undefined) : value;
    return part`${left} = any (${[...values]}::${raw(isUuid ? 'uuid' : 'text')}[])`;
  }
  if (typeof value === 'string' && isUuid && parseUuid(value) === undefined) return part`false`;
  if (expressions && column === 'created_at') return sinceOrUntil(tenantId, is, Number(value), id);
  if (expressions && column === 'action' && !frequentActions.includes(String(value))) {
    return part`${left} = ${value} and ${raw(isRare)}`;
  }
  const isKnown = nulls?.[column] === undefined ? part`` : part`and ${left} <> ${nulls[column]}`;
  return part`${left} ${raw(is)} ${value} ${isKnown}`;
}

/** A condition on the time of entries, by their ids: these have no gaps, and times never decrease, so a few are looked at. */
function sinceOrUntil(tenantId: string, is: string, time: number, id: string): Part {
  const isOlder = is === '>=' ? part`created_at < ${time}` : part`created_at <= ${time}`;
  const first = part`(
    with recursive search (low, high) as (
      select coalesce((select id from eaas.audit_anchors where tenant_id = ${tenantId} limit 1), 0) + 1,
        (select id from eaas.audit_heads where tenant_id = ${tenantId} limit 1) + 1
      union all
      select case when is_older then middle + 1 else low end, case when is_older then high else middle end
      from (select low, high, (low + high) / 2 as middle from search where low < high) half cross join lateral (
        select coalesce((select ${isOlder} from eaas.audit_entries where tenant_id = ${tenantId} and id = middle limit 1),
          false) as is_older) entry
    )
    select min(high) from search)`;
  return part`${raw(id)} ${raw(is === '>=' ? '>=' : '<')} ${first}`;
}

/**
 * A page of the rows. PostgreSQL skips those before it in an index on the column of the order, and reads only the rows of the
 * page from the table.
 */
function page(table: StoredTable, all: Part, query: Query<never>): Part {
  const { by, limit, offset = 0, bytes } = query;
  // Only the ledger asks for the nonces of entries.
  const columns = raw(table.expressions ? ['tenant_id', ...table.columns].join(', ') : '*');
  const most = limit === undefined ? part`` : part`limit ${limit}`;
  if (bytes !== undefined) {
    const before = part`sum(octet_length(metadata)) over (order by id) - octet_length(metadata) as bytes`;
    return part`
      select ${columns} from (select *, ${before} from ${all} ${order(query)} ${most}) page where bytes < ${bytes}`;
  }
  if (by === undefined || offset === 0) return part`select ${columns} from ${all} ${order(query)} ${most}`;
  return part`
    with page as materialized (select ${raw(by)} as at from ${all} ${order(query)} ${most} offset ${offset})
    select ${columns} from ${all}
      and ${raw(by)} between (select min(at) from page) and (select max(at) from page) ${order(query)} ${most}`;
}

function order({ by, descending }: Query<never>): Part {
  return by === undefined ? part`` : part`order by ${raw(by)} ${descending ? part`desc` : part``}`;
}

/** The number of rows where another table has it. */
function knownCount(tenantId: string, table: StoredTable, { where }: Query<never>): Part | undefined {
  const { name, counted, tallied } = table;
  const [first, ...others] = where;
  const isKept = counted !== undefined && others.length === 0;
  if (isKept && (!first || (first[0] === counted.column && /^(=|null)$/.test(first[1])))) {
    const kind = first ? part`and kind = ${first[2] ?? 'null'}` : part``;
    return part`(select coalesce(sum(n), 0) from eaas.row_counts
      where tenant_id = ${tenantId} and counted = ${name} ${kind})`;
  }
  if (!tallied || !where.every(([column, is]) => is === '=' && tallied.includes(column))) return undefined;
  const tallies = matching(tenantId, requireTable('tallies'), where);
  return part`(select coalesce(sum(n + refused - purged), 0) from ${tallies})`;
}

/** The newest record of the row's changes, as another column. */
function newestRev(tenantId: string, { record, isLoose, id, recordId = `t.${id[0]}` }: StoredTable): Part {
  if (!record || isLoose) return part`, null as newest_rev`;
  return part`, (select max(r.rev) from eaas.row_records r
    where r.tenant_id = ${tenantId} and r.row_id = ${raw(recordId)}) as newest_rev`;
}

/** A list of rows as JSON. */
const aggregated = (rows: Part): Part => part`(select coalesce(json_agg(found), '[]') from (${rows}) found)`;

/** A row from JSON, in which bytes are hexadecimal. What is not, in a row that was tampered with, stays as it is. */
export function storedRow({ binary = new Set(), nulls }: StoredTable, json: JsonRow): Stored {
  const { newest_rev, ...row } = json as Record<string, unknown>;
  for (const column of binary) {
    const value = row[column];
    if (typeof value === 'string' && value.startsWith('\\x')) {
      row[column] = Buffer.from(value.slice(2), 'hex');
    }
  }
  for (const column in nulls) if (row[column] === nulls[column]) row[column] = null;
  return { row, newest_rev: newest_rev as number | null };
}

/** A row can have 40 KiB. */
const rowsPerPage = 200;

/** All rows of a table, in pages. It reads on in the transaction of `sql`, which can send nothing else meanwhile. */
export async function* scanRows(
  sql: Sql,
  tenantId: string,
  table: StoredTable,
): AsyncGenerator<Stored[], void> {
  const all = part`select t.* ${newestRev(tenantId, table)} from eaas.${raw(table.name)} t where tenant_id = ${tenantId}`;
  const asked = statement<{ row: JsonRow }[]>(
    sql,
    part`select row_to_json(found) as row from (${all}) found`,
  );
  const pages = asked.cursor(rowsPerPage)[Symbol.asyncIterator]();
  const read = async () => (await pages.next()) as IteratorResult<{ row: JsonRow }[], undefined>;
  let coming = read();
  try {
    for (;;) {
      const { done, value } = await coming;
      if (done) return;
      // The database reads the next page while the caller looks at this one.
      coming = read();
      coming.catch(() => {});
      yield value.map(({ row }) => storedRow(table, row));
    }
  } finally {
    await coming.catch(() => {});
    await pages.return?.();
  }
}
