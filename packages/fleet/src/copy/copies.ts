import { first, idsOf, rowsBy, type Sql, subjectsBy, type Transaction } from '@eaas/server/internal';

// Rows are copied as JSON text, so that this process neither parses nor converts a column.

export interface Portion {
  readonly rows: string;
  readonly count: number;
}

const mostEntries = 10_000;
const mostMetadata = 4 * 1024 * 1024;
const mostRows = 500;
const mostVersions = 5_000;
const mostSubjects = 5_000;

async function portion(query: PromiseLike<readonly Portion[]>): Promise<Portion> {
  return (await first(query)) ?? { rows: '[]', count: 0 };
}

/** A portion has a limited size, so that it takes little memory. */
export async function lastOfPortion(sql: Sql, tenantId: string, after: number, through: number) {
  const end = Math.min(through, after + mostEntries);
  const row = await first(sql<{ id: number | null }[]>`
    select max(id) as id from (
      select id, sum(octet_length(metadata)) over (order by id rows unbounded preceding) - octet_length(metadata) as before
      from eaas.audit_entries where tenant_id = ${tenantId} and id > ${after} and id <= ${end}
    ) e where before < ${mostMetadata}`);
  return row?.id ?? end;
}

export function entryPortion(sql: Sql, tenantId: string, after: number, through: number): Promise<Portion> {
  return portion(sql<Portion[]>`
    select coalesce(json_agg(e), '[]')::text as rows, count(*) as count from (
      select * from eaas.audit_entries where tenant_id = ${tenantId} and id > ${after} and id <= ${through} order by id
    ) e`);
}

export async function lastOfChanges(sql: Sql, tenantId: string, after: number): Promise<number | undefined> {
  const row = await first(sql<{ rev: number | null }[]>`
    select max(rev) as rev from (
      select rev from eaas.row_records where tenant_id = ${tenantId} and rev > ${after} order by rev limit ${mostRows}
    ) r`);
  return row?.rev ?? undefined;
}

interface Range {
  readonly after: number;
  readonly through: number;
}

export function recordPortion(sql: Sql, tenantId: string, { after, through }: Range): Promise<Portion> {
  return portion(sql<Portion[]>`
    select coalesce(json_agg(r), '[]')::text as rows, count(*) as count from eaas.row_records r
    where tenant_id = ${tenantId} and rev > ${after} and rev <= ${through}`);
}

/**
 * Returns the ids of the rows whose last change is in this range of audit entries. A row that changed again later is
 * copied together with that later change.
 */
export async function rowIdsOf(sql: Sql, tenantId: string, { after, through }: Range): Promise<string[]> {
  const rows = await sql<{ row_id: string }[]>`
    select row_id from eaas.row_records r where tenant_id = ${tenantId} and rev > ${after} and rev <= ${through}
      and not exists (select from eaas.row_records newer
        where newer.tenant_id = r.tenant_id and newer.row_id = r.row_id and newer.rev > r.rev)`;
  return rows.map(({ row_id }) => row_id);
}

/**
 * Sorts the rows by their last changes. A destroyed key must come before another key with the same name, because names
 * are unique.
 */
export function rowPortion(
  sql: Sql,
  table: 'tenants' | 'keys' | 'api_keys' | 'issuers',
  id: string,
  tenantId: string,
  rowIds: readonly string[],
): Promise<Portion> {
  return portion(sql<Portion[]>`
    select coalesce(json_agg(t order by t.rev), '[]')::text as rows, count(*) as count
    from ${rowsBy(sql, table, tenantId, id, idsOf(sql, rowIds))}`);
}

/** The fetched keys of all sign-ins of a tenant that are not revoked. */
export function keySetPortion(sql: Sql, tenantId: string): Promise<Portion> {
  return portion(sql<Portion[]>`
    select coalesce(json_agg(s), '[]')::text as rows, count(*) as count
    from eaas.key_sets s join eaas.issuers i using (tenant_id, issuer_id)
    where tenant_id = ${tenantId} and i.revoked_at is null`);
}

export async function destroyedAmong(sql: Sql, tenantId: string, keyIds: readonly string[]) {
  const rows = await sql<{ key_id: string }[]>`
    select key_id from ${rowsBy(sql, 'keys', tenantId, 'key_id', idsOf(sql, keyIds))} and status = 'destroyed'`;
  return rows.map((row) => row.key_id);
}

export async function newestVersions(sql: Sql, tenantId: string, keyIds: readonly string[]) {
  const rows = await sql<{ key_id: string; newest: number }[]>`
    select key_id, max(key_version) as newest from eaas.key_versions
    where tenant_id = ${tenantId} and key_id = any (${[...keyIds]}::uuid[]) group by key_id`;
  return new Map(rows.map((row) => [row.key_id, row.newest]));
}

export async function versionPortion(
  sql: Sql,
  tenantId: string,
  keyIds: readonly string[],
  newest: ReadonlyMap<string, number>,
): Promise<Portion & { readonly isLast: boolean }> {
  const found = await portion(sql<Portion[]>`
    select coalesce(json_agg(v), '[]')::text as rows, count(*) as count from (
      select v.* from unnest(${[...keyIds]}::uuid[], ${keyIds.map((id) => newest.get(id) ?? 0)}::bigint[]) as known (key_id, newest)
        join eaas.key_versions v using (key_id)
      where v.tenant_id = ${tenantId} and v.key_version > known.newest
      order by key_id, key_version limit ${mostVersions}
    ) v`);
  return { ...found, isLast: found.count < mostVersions };
}

interface LastSubject {
  readonly created_id: number;
  readonly subject_id: string;
}

/** Returns the newest living subject. Subjects are copied in the order of their first entries. */
export function newestSubject(sql: Sql, tenantId: string): Promise<LastSubject | undefined> {
  return first(sql<LastSubject[]>`
    select created_id, encode(subject_id, 'hex') as subject_id from eaas.subjects
    where tenant_id = ${tenantId} and erased_id is null order by created_id desc, subject_id desc limit 1`);
}

/**
 * The living subjects after `newest`. The entries do not find them all: those of the oldest are purged, and an imported
 * subject has none.
 */
export function subjectPortion(sql: Sql, tenantId: string, newest?: LastSubject): Promise<Portion> {
  const { created_id = -1, subject_id = '' } = newest ?? {};
  return portion(sql<Portion[]>`
    select coalesce(json_agg(s), '[]')::text as rows, count(*) as count from (
      select * from eaas.subjects where tenant_id = ${tenantId} and erased_id is null and created_id >= ${created_id}
        and (created_id > ${created_id} or subject_id > decode(${subject_id}, 'hex'))
      order by created_id, subject_id limit ${mostSubjects}
    ) s`);
}

/** The erased subjects among the rows with these ids. */
export function tombstonePortion(sql: Sql, tenantId: string, rowIds: readonly string[]): Promise<Portion> {
  return portion(sql<Portion[]>`
    select coalesce(json_agg(t), '[]')::text as rows, count(*) as count
    from ${subjectsBy(sql, tenantId, idsOf(sql, rowIds))} and erased_id is not null`);
}

export async function tokenHashes(sql: Sql, tenantId: string, rowIds: readonly string[]) {
  const rows = await sql<{ token_hash: Uint8Array }[]>`
    select token_hash from ${rowsBy(sql, 'api_keys', tenantId, 'api_key_id', idsOf(sql, rowIds))}
    union all select token_hash from ${rowsBy(sql, 'issuers', tenantId, 'issuer_id', idsOf(sql, rowIds))}`;
  return rows.map((row) => Buffer.from(row.token_hash));
}

export async function enterTokens(sql: Sql, tenantId: string, hashes: readonly Buffer[]): Promise<void> {
  if (hashes.length === 0) return;
  const rows = hashes.map((token_hash) => ({ token_hash, tenant_id: tenantId }));
  await sql`insert into eaas.token_directory ${sql(rows)} on conflict do nothing`;
}

export async function lastSum(sql: Sql, tenantId: string): Promise<number> {
  const row = await first(sql<{ id: number | null }[]>`
    select max(id) as id from eaas.entry_counts where tenant_id = ${tenantId}`);
  return row?.id ?? 0;
}

export async function sumPortion(sql: Sql, tenantId: string, after: number): Promise<Portion> {
  const end = await first(sql<{ id: number | null }[]>`
    select max(id) as id from (
      select id from eaas.entry_counts where tenant_id = ${tenantId} and id > ${after} order by id limit ${mostRows}
    ) c`);
  return portion(sql<Portion[]>`
    select coalesce(json_agg(c), '[]')::text as rows, count(*) as count from eaas.entry_counts c
    where tenant_id = ${tenantId} and id > ${after} and id <= ${end?.id ?? after}`);
}

const counters = {
  usage_cursors: ['tenant_id'],
  usage: ['tenant_id', 'month', 'operation'],
  key_version_uses: ['tenant_id', 'key_id', 'key_version'],
  api_key_uses: ['tenant_id', 'api_key_id'],
} as const;

/**
 * Locks the tenant's row in `usage_cursors`, so that the usage job counts no entries during the copy. The copied
 * counters then match the copied row of `usage_cursors`.
 */
export async function copyCounters(from: Transaction, to: Transaction, tenantId: string): Promise<void> {
  await from`select from eaas.usage_cursors where tenant_id = ${tenantId} for update`;
  // All counters of the target are set to 0 first, because the target can have counters that the source does not have.
  await to`update eaas.usage set count = 0 where tenant_id = ${tenantId}`;
  await to`update eaas.key_version_uses set wraps = 0, unwraps = 0, last_unwrap_at = null where tenant_id = ${tenantId}`;
  for (const [table, key] of Object.entries(counters)) {
    const { rows } = await portion(from<Portion[]>`
      select coalesce(json_agg(t), '[]')::text as rows, count(*) as count from eaas.${from(table)} t
      where tenant_id = ${tenantId}`);
    await putRows(to, table, rows, key);
  }
}

/**
 * For existing rows: `keep` keeps them, and `fail` throws an error. If `existing` is a list of columns, a new row
 * replaces the row with the same values in these columns.
 */
export async function putRows(
  tx: Transaction,
  table: string,
  rows: string,
  existing: 'keep' | 'fail' | readonly string[],
): Promise<void> {
  if (rows === '[]') return;
  const ifExisting =
    existing === 'fail'
      ? ''
      : existing === 'keep'
        ? 'on conflict do nothing'
        : `on conflict (${existing.join(', ')}) do update set ${await replacement(tx, table, existing)}`;
  await tx.unsafe(
    `insert into eaas.${table} select * from json_populate_recordset(null::eaas.${table}, $1::text::json) ${ifExisting}`,
    [rows],
  );
}

async function replacement(sql: Sql, table: string, key: readonly string[]): Promise<string> {
  // The server may not update the columns of a subject that never change.
  const columns = await sql<{ name: string }[]>`
    select quote_ident(attname) as name from pg_catalog.pg_attribute
    where attrelid = ${`eaas.${table}`}::regclass and attnum > 0 and not attisdropped
      and has_column_privilege(attrelid, attnum, 'update') order by attnum`;
  const others = columns.filter(({ name }) => !key.includes(name));
  return others.map(({ name }) => `${name} = excluded.${name}`).join(', ');
}
