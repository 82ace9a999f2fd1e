import type postgres from 'postgres';
import type { Sql, Transaction } from './sql.ts';

export interface Table<Row> {
  readonly name: string;
  readonly id: string;
  /** The label of the MAC. Each table has a different label, so that the MAC of a row is not valid in another table. */
  readonly label: readonly string[];
  /** The order of the columns is a part of the MAC. */
  readonly columns: readonly (keyof Row & string)[];
  /**
   * The columns that must contain true or false. If an attacker changes the type of a column to text, the text `false`
   * has the same MAC as the boolean, but JavaScript treats it as true.
   */
  readonly booleans?: readonly (keyof Row & string)[];
  /**
   * The columns that must contain a number or null. An attacker can change the type of a column to bytea and store
   * bytes with the same MAC as the number. Every comparison with bytes is false, so an API key with such an
   * `expires_at` would never expire.
   */
  readonly numbers?: readonly (keyof Row & string)[];
}

export interface RecordedRow {
  readonly tenant_id: string;
  readonly rev: number;
  readonly mac: Uint8Array;
}

/** If `rev` is not `newest_rev`, someone has put back an older version of the row. */
export type Loaded<Row> = Row & { readonly newest_rev: number | null };

export type Fragment = postgres.PendingQuery<postgres.Row[]>;

// postgres.js sends a statement only at `await`. `execute` sends the row immediately, before the next statement of the
// transaction, which can refer to this row.

/** Inserts a row. The append of its audit entry records it. */
export async function insertRow<Row extends RecordedRow>(tx: Transaction, table: Table<Row>, row: Row) {
  await tx`insert into eaas.${tx(table.name)} ${valuesOf(tx, table, row)}`.execute();
}

/** Updates a row. The append of its audit entry records it. */
export async function updateRow<Row extends RecordedRow>(tx: Transaction, table: Table<Row>, row: Row) {
  // The update does not set `tenant_id`, because Citus refuses an assignment to the column that decides the shard.
  await tx`update eaas.${tx(table.name)} set ${valuesOf(tx, table, row, ['tenant_id', table.id])}
    where tenant_id = ${row.tenant_id} and ${tx(table.id)} = ${idOf(table, row)}`.execute();
}

/** Records the row of a new tenant, which no audit entry records. */
export async function recordRow<Row extends RecordedRow>(tx: Transaction, table: Table<Row>, row: Row) {
  await tx`insert into eaas.row_records (tenant_id, row_id, rev)
    values (${row.tenant_id}, ${idOf(table, row)}, ${row.rev})`;
}

/**
 * Loads rows of one tenant. Each part of the query contains the tenant's id, because Citus otherwise queries every
 * shard.
 */
export function loadRows<Row>(sql: Sql, table: Table<Row>, tenantId: string, rest: Fragment) {
  const rows = sql`eaas.${sql(table.name)} t where tenant_id = ${tenantId} ${rest}`;
  return loadFrom(sql, table, sql`${tenantId}`, rows);
}

/** The rows of one tenant with these ids, for `from`. The caller can add conditions with `and`. */
export function rowsById(sql: Sql, table: string, tenantId: string, id: string, ids: readonly string[]) {
  return sql`eaas.${sql(table)} t where tenant_id = ${tenantId} and ${sql(id)} = any (${ids}::uuid[])`;
}

export function loadRowsById<Row>(sql: Sql, table: Table<Row>, tenantId: string, ids: readonly string[]) {
  return loadFrom(sql, table, sql`${tenantId}`, rowsById(sql, table.name, tenantId, table.id, ids));
}

export function idsOf(sql: Sql, ids: readonly string[]) {
  return sql`unnest(${[...new Set(ids)]}::uuid[])`;
}

/**
 * Loads a page of the rows in `matching`, the newest first. PostgreSQL skips the rows before the page in an index on
 * `created_id`, and reads only the rows of the page from the table.
 */
export function loadPage<Row extends { readonly created_id: number }>(
  sql: Sql,
  table: Table<Row>,
  tenantId: string,
  matching: Fragment,
  { limit, offset }: { readonly limit: number; readonly offset: number },
) {
  const page = sql`select created_id from ${matching} order by created_id desc limit ${limit} offset ${offset}`;
  return loadFrom(
    sql,
    table,
    sql`${tenantId}`,
    sql`(
      with page as materialized (${page})
      select * from ${matching}
        and created_id between (select min(created_id) from page) and (select max(created_id) from page)
    ) t order by created_id desc limit ${limit}`,
  );
}

export function loadOfAllTenants<Row>(sql: Sql, table: Table<Row>, rest: Fragment) {
  return loadFrom(sql, table, sql`t.tenant_id`, sql`eaas.${sql(table.name)} t ${rest}`);
}

async function loadFrom<Row>(
  sql: Sql,
  table: Table<Row>,
  tenant: Fragment,
  rows: Fragment,
): Promise<Loaded<Row>[]> {
  return sql<Loaded<Row>[]>`
    select t.*, (select max(r.rev) from eaas.row_records r
      where r.tenant_id = ${tenant} and r.row_id = t.${sql(table.id)}) as newest_rev
    from ${rows}`;
}

export async function countRows(sql: Sql, from: Fragment): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*) as count from ${from}`;
  return row?.count ?? 0;
}

export async function first<Row>(query: PromiseLike<readonly Row[]>): Promise<Row | undefined> {
  const [row] = await query;
  return row;
}

export async function changedRows(
  sql: Sql,
  tenantId: string,
  after: number,
  limit = Number.MAX_SAFE_INTEGER,
) {
  const rows = await sql<{ row_id: string }[]>`
    select row_id from eaas.row_records where tenant_id = ${tenantId} and rev > ${after}
    order by rev desc limit ${limit}`;
  return rows.map(({ row_id }) => row_id);
}

function idOf<Row>(table: Table<Row>, row: Row): string {
  return String(row[table.id as keyof Row]);
}

function valuesOf<Row extends RecordedRow>(
  tx: Transaction,
  { columns }: Table<Row>,
  row: Row,
  without: readonly string[] = [],
) {
  const names = [...columns, 'mac'];
  return tx(
    row as Record<string, never>,
    names.filter((name) => !without.includes(name)),
  );
}
