import { countEntries, entryAt, type EntryFilter, firstEntrySince } from './audit-entries.ts';
import { first } from './rows.ts';
import type { Sql, Transaction } from './sql.ts';

/**
 * A sum is a running total of the log. `counts` has the number of entries of each action from the start of the log up
 * to the time `created_at`. The difference between two sums is the number of entries after the earlier `created_at` and
 * up to the later one.
 */
interface Sum {
  readonly created_at: number;
  readonly counts: Readonly<Record<string, number>>;
}

const sumEvery = 1_000;
const stepSize = 5 * sumEvery;

/** The number of entries that match a filter. `after` counts those that are newer than the stored sum `late`. */
interface Total {
  readonly total: number;
  readonly sums?: { readonly early: Sum; readonly late: Sum; readonly after: number };
}

const beforeAll: Sum = { created_at: 0, counts: {} };

/**
 * Computes the number of matching entries from stored sums. The newest sum counts all entries since the log began. If
 * entries were purged or if the filter has `from`, the function subtracts an older sum.
 */
export async function totalOf(
  sql: Sql,
  tenantId: string,
  filter: EntryFilter,
  isPurged: boolean,
): Promise<Total> {
  const { action, from, to = Number.MAX_SAFE_INTEGER } = filter;
  const sums = sumsOf(sql, tenantId, filter);
  const [early, late] = await Promise.all([
    from === undefined && !isPurged
      ? beforeAll
      : first(sql<Sum[]>`${sums} and created_at >= ${from ?? 0} order by created_at limit 1`),
    first(sql<Sum[]>`${sums} and created_at <= ${to} order by created_at desc limit 1`),
  ]);
  if (!early || !late || early.created_at > late.created_at) {
    return { total: await countEntries(sql, tenantId, filter) };
  }
  const [before, after] = await Promise.all([
    early === beforeAll ? 0 : countEntries(sql, tenantId, { ...filter, to: early.created_at }),
    countEntries(sql, tenantId, { ...filter, from: late.created_at + 1 }),
  ]);
  const total = before + sumOf(late, action) - sumOf(early, action) + after;
  return { total, sums: { early, late, after } };
}

/**
 * Returns a filter whose `to` is the time of a stored sum, not long after the page's newest entry. PostgreSQL then
 * skips only about a thousand entries, even for a large offset.
 */
export async function skipToPage(
  sql: Sql,
  tenantId: string,
  filter: EntryFilter,
  { sums }: Total,
  offset: number,
): Promise<{ filter: EntryFilter; offset: number }> {
  if (!sums || offset < sums.after) return { filter, offset };
  const { early, late, after } = sums;
  const newest = after + sumOf(late, filter.action);
  const sum = await firstSumOf(sql, tenantId, filter, newest - offset, early.created_at, late.created_at);
  if (!sum) return { filter, offset };
  const to = sum.created_at;
  return { filter: { ...filter, to }, offset: offset - newest + sumOf(sum, filter.action) };
}

/**
 * Finds the oldest stored sum that counts at least `wanted` entries, by a binary search between the times `from` and
 * `to`. The caller must pass a `to` whose sum counts at least `wanted` entries.
 */
async function firstSumOf(
  sql: Sql,
  tenantId: string,
  filter: EntryFilter,
  wanted: number,
  from: number,
  to: number,
): Promise<Sum | undefined> {
  const sums = sumsOf(sql, tenantId, filter);
  const count =
    filter.action === undefined
      ? sql`(select sum(value::bigint) from jsonb_each_text(counts))`
      : sql`coalesce((counts ->> ${filter.action})::bigint, 0)`;
  return first(sql<Sum[]>`
    with recursive search (low, high) as (
      select ${from}::bigint, ${to}::bigint
      union all
      select case when m.is_enough then low else middle + 1 end, case when m.is_enough then m.created_at else high end
      from (select low, high, (low + high) / 2 as middle from search where low < high) s
      left join lateral (
        select created_at, ${count} >= ${wanted} as is_enough from (
          ${sums} and created_at between low and middle order by created_at desc limit 1) newest
      ) m on true
    )
    ${sums} and created_at = (select min(high) from search)`);
}

function sumsOf(sql: Sql, tenantId: string, { keyId }: EntryFilter) {
  return sql`select created_at, counts from eaas.entry_counts
    where tenant_id = ${tenantId} and row_id = ${keyId ?? tenantId}`;
}

function sumOf({ counts }: Sum, action: string | undefined): number {
  if (action !== undefined) return counts[action] ?? 0;
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The caller must hold the lock of the tenant's usage cursor. */
export async function sumNext(tx: Transaction, tenantId: string): Promise<boolean> {
  const [cursor] = await tx<{ from: number; head: number }[]>`
    select greatest(c.summed_through, coalesce(a.id, 0)) as from, h.id as head
    from eaas.usage_cursors c join eaas.audit_heads h using (tenant_id)
      left join eaas.audit_anchors a using (tenant_id)
    where c.tenant_id = ${tenantId}`;
  if (!cursor) return false;
  const { from, head } = cursor;
  const end = await lastOfTime(tx, tenantId, from, head);
  if (end === undefined) return false;
  await writeSums(tx, tenantId, from, end);
  await tx`update eaas.usage_cursors set summed_through = ${end} where tenant_id = ${tenantId}`;
  return end + sumEvery < head;
}

/**
 * Returns the id of the entry up to which the next sums count, or undefined if there is nothing to count yet. Several
 * entries can have the same time, and a sum must count all of them. So the function returns the last entry with the
 * same time.
 */
async function lastOfTime(sql: Sql, tenantId: string, from: number, head: number) {
  const last = await entryAt(sql, tenantId, Math.min(from + stepSize, head));
  if (!last || last.id <= from) return undefined;
  const before = async (time: number): Promise<number> =>
    (await firstEntrySince(sql, tenantId, time, { first: from + 1, last: head })) - 1;
  const end = await before(last.created_at);
  if (end > from) return end;
  const next = await before(last.created_at + 1);
  return next < head ? next : undefined;
}

/**
 * Stores a sum of the tenant's entries after about every thousand entries. About one entry in a thousand, chosen by its
 * hash, also causes a sum of the entries of its key.
 */
async function writeSums(tx: Transaction, tenantId: string, from: number, end: number): Promise<void> {
  const isAfter = tx`e.tenant_id = ${tenantId}
    and e.created_at > coalesce(p.created_at, -1) and e.created_at <= m.created_at`;
  await tx`
    with entries as materialized (
      select id, key_id, created_at, hash, lead(created_at) over (order by id) > created_at as is_last
      from eaas.audit_entries where tenant_id = ${tenantId} and id > ${from} and id <= ${end + 1}
    ), ends as materialized (
      select max(id) as id, max(created_at) as created_at from entries
      where is_last and id <= ${end} group by id / ${sumEvery}
    ), sums as (
      select ${tenantId}::uuid as row_id, null::uuid as key_id, id, created_at from ends
      union
      select e.key_id, e.key_id, m.id, m.created_at from entries e
        cross join lateral (select * from ends where ends.id >= e.id order by ends.id limit 1) m
      where e.key_id is not null and substr(e.hash, 1, 1) = '\\x00' and substr(e.hash, 2, 1) < '\\x40'
    )
    insert into eaas.entry_counts (tenant_id, row_id, id, created_at, counts)
    select ${tenantId}, m.row_id, m.id, m.created_at, coalesce(
      (select jsonb_object_agg(action, count) from (
        select action, sum(count) as count from (
          select action, count(*) as count from eaas.audit_entries e where m.key_id is null and ${isAfter} group by action
          union all
          select action, count(*) from eaas.audit_entries e where e.key_id = m.key_id and ${isAfter} group by action
          union all
          select key, value::bigint from jsonb_each_text(p.counts)
        ) parts group by action
      ) by_action), '{}')
    from sums m left join lateral (
      select * from eaas.entry_counts c where c.tenant_id = ${tenantId} and c.row_id = m.row_id
      order by c.created_at desc limit 1
    ) p on true`;
}
