import { countEntries, entryAt, type EntryFilter, firstEntrySince } from './audit-entries.ts';
import { first } from './rows.ts';
import type { Sql, Transaction } from './sql.ts';

/**
 * For each action, the number of entries of a tenant or a key up to `created_at`. The total of a period is the
 * difference of two sums, plus the entries of the period before the first sum and after the second sum.
 */
interface Sum {
  readonly created_at: number;
  readonly counts: Readonly<Record<string, number>>;
}

const stepSize = 5_000;

export async function totalOf(sql: Sql, tenantId: string, filter: EntryFilter): Promise<number> {
  const { keyId, action, from = 0, to = Number.MAX_SAFE_INTEGER } = filter;
  const sums = sql`select created_at, counts from eaas.entry_counts
    where tenant_id = ${tenantId} and subject = ${keyId ?? tenantId}`;
  const [early, late] = await Promise.all([
    first(sql<Sum[]>`${sums} and created_at >= ${from} order by created_at limit 1`),
    first(sql<Sum[]>`${sums} and created_at <= ${to} order by created_at desc limit 1`),
  ]);
  if (!early || !late || early.created_at > late.created_at) return countEntries(sql, tenantId, filter);
  const [before, after] = await Promise.all([
    countEntries(sql, tenantId, { ...filter, to: early.created_at }),
    countEntries(sql, tenantId, { ...filter, from: late.created_at + 1 }),
  ]);
  return before + sumOf(late, action) - sumOf(early, action) + after;
}

function sumOf({ counts }: Sum, action: string | undefined): number {
  if (action !== undefined) return counts[action] ?? 0;
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Writes the next sums of a tenant. The caller must hold the lock of the tenant's usage cursor. */
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
  return end + stepSize < head;
}

/**
 * Returns the id of the last entry of a sum. The next entry has a later time, because a sum counts all entries up to a
 * time.
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
 * Writes a sum of the tenant for each thousand entries. The hashes of the entries choose about one entry of a thousand,
 * and the key of this entry gets a sum. So a key has a sum for about each thousand of its own entries.
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
      where is_last and id <= ${end} group by id / 1000
    ), sums as (
      select ${tenantId}::uuid as subject, null::uuid as key_id, id, created_at from ends
      union
      select e.key_id, e.key_id, m.id, m.created_at from entries e
        cross join lateral (select * from ends where ends.id >= e.id order by ends.id limit 1) m
      where e.key_id is not null and substr(e.hash, 1, 1) = '\\x00' and substr(e.hash, 2, 1) < '\\x40'
    )
    insert into eaas.entry_counts (tenant_id, subject, id, created_at, counts)
    select ${tenantId}, m.subject, m.id, m.created_at, coalesce(
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
      select * from eaas.entry_counts c where c.tenant_id = ${tenantId} and c.subject = m.subject
      order by c.created_at desc limit 1
    ) p on true`;
}
