import type { Sql, Transaction } from './sql.ts';

export const countedOperations = ['encrypt', 'decrypt', 'key.wrap', 'key.unwrap'] as const;

export interface VersionUse {
  readonly key_version: number;
  readonly created_at: number;
  readonly wraps: number;
  readonly unwraps: number;
  readonly last_unwrap_at: number | null;
}

export async function versionUses(
  sql: Sql,
  tenantId: string,
  keyId: string,
  page: { limit: number; offset: number },
): Promise<VersionUse[]> {
  return sql<VersionUse[]>`
    select v.key_version, v.created_at, coalesce(u.wraps, 0) as wraps, coalesce(u.unwraps, 0) as unwraps, u.last_unwrap_at
    from (
      select key_version, created_at from eaas.key_versions where tenant_id = ${tenantId} and key_id = ${keyId}
      order by key_version desc limit ${page.limit} offset ${page.offset}
    ) v left join lateral (
      select * from eaas.key_version_uses
      where tenant_id = ${tenantId} and key_id = ${keyId} and key_version = v.key_version limit 1
    ) u on true order by v.key_version desc`;
}

export async function monthUsage(sql: Sql, tenantId: string, month: string) {
  return sql<{ operation: string; count: number }[]>`
    select operation, sum(count)::bigint as count from (
      select operation, count from eaas.usage where tenant_id = ${tenantId} and month = ${month}
      union all
      select action, 1 from eaas.audit_entries e
      where tenant_id = ${tenantId} and ${counted(sql)}
        and id > coalesce((select counted_through from eaas.usage_cursors where tenant_id = ${tenantId}), 0)
        and to_char(to_timestamp(created_at / 1000.0) at time zone 'UTC', 'YYYY-MM') = ${month}
    ) uses group by operation`;
}

export async function uncountedTenants(sql: Sql): Promise<string[]> {
  const rows = await sql<{ tenant_id: string }[]>`
    select tenant_id from eaas.audit_heads where uncounted`;
  return rows.map((row) => row.tenant_id);
}

/** The mark `uncounted` remains if another entry was appended after the count. */
export async function unmarkCounted(sql: Sql, tenantId: string): Promise<void> {
  await sql`
    update eaas.audit_heads h set uncounted = false from eaas.usage_cursors c
    where h.tenant_id = ${tenantId} and c.tenant_id = h.tenant_id and h.id <= c.counted_through`;
}

/**
 * Counts the tenant's entries that were not counted yet. A lock prevents two replicas from counting the same entries.
 */
export async function countNext(tx: Transaction, tenantId: string, limit: number): Promise<boolean> {
  await tx`insert into eaas.usage_cursors (tenant_id, counted_through) values (${tenantId}, 0) on conflict do nothing`;
  const [cursor] = await tx<{ from: number; through: number; head: number }[]>`
    select counted_through as from, least(counted_through + ${limit}, h.id) as through, h.id as head
    from eaas.usage_cursors c join eaas.audit_heads h using (tenant_id)
    where c.tenant_id = ${tenantId} for update of c`;
  if (!cursor || cursor.through <= cursor.from) return false;
  await tx`
    with uses as materialized (
      select key_id, key_version, to_char(to_timestamp(created_at / 1000.0) at time zone 'UTC', 'YYYY-MM') as month,
        action, count(*) as count, max(created_at) as last_at
      from eaas.audit_entries
      where tenant_id = ${tenantId} and ${counted(tx)} and id > ${cursor.from} and id <= ${cursor.through}
      group by 1, 2, 3, 4
    ), by_month as (
      insert into eaas.usage (tenant_id, month, operation, count)
      select ${tenantId}::uuid, month, action, sum(count) from uses group by month, action
      on conflict (tenant_id, month, operation) do update set count = usage.count + excluded.count
    )
    insert into eaas.key_version_uses (tenant_id, key_id, key_version, wraps, unwraps, last_unwrap_at)
    select ${tenantId}::uuid, key_id, key_version,
      coalesce(sum(count) filter (where action in ('encrypt', 'key.wrap')), 0),
      coalesce(sum(count) filter (where action in ('decrypt', 'key.unwrap')), 0),
      max(last_at) filter (where action in ('decrypt', 'key.unwrap'))
    from uses group by key_id, key_version
    on conflict (tenant_id, key_id, key_version) do update set
      wraps = key_version_uses.wraps + excluded.wraps, unwraps = key_version_uses.unwraps + excluded.unwraps,
      last_unwrap_at = greatest(key_version_uses.last_unwrap_at, excluded.last_unwrap_at)`;
  await tx`update eaas.usage_cursors set counted_through = ${cursor.through} where tenant_id = ${tenantId}`;
  return cursor.through < cursor.head;
}

export async function countedThrough(sql: Sql, tenantId: string): Promise<number> {
  const [row] = await sql<{ counted_through: number }[]>`
    select counted_through from eaas.usage_cursors where tenant_id = ${tenantId}`;
  return row?.counted_through ?? 0;
}

function counted(sql: Sql) {
  // Refused operations are not counted. After `outcome`, their metadata has at most a subject and a user, because
  // canonical JSON sorts the members. A comparison of only the last bytes is 16 times as fast as `like`.
  const metadata = sql`convert_to(metadata, 'UTF8')`;
  const last = (bytes: number) =>
    sql`substr(${metadata}, length(${metadata}) - ${sql.unsafe(`${bytes - 1}`)})`;
  const people = `"outcome":"refused"(,"subject":"[0-9a-f]{32}")?(,"user":"[0-9a-f]{32}")?(,"user_asserted":true)?}$`;
  return sql`action = any (${[...countedOperations]}::text[])
    and ${last(20)} <> convert_to('"outcome":"refused"}', 'UTF8')
    and not (position(convert_to('"outcome":"refused",', 'UTF8') in ${last(150)}) > 0 and metadata ~ ${people})`;
}
