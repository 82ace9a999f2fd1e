import type postgres from 'postgres';
import type { Sql, Transaction } from './sql.ts';

/** A table whose rows have a MAC. */
export interface Table<Row> {
  /** The table's name in the schema `eaas`. */
  readonly name: string;
  /** The column that identifies a row among those of its tenant. */
  readonly id: string;
  /**
   * The first parts of the MAC's input. They differ for each table, so the MAC of a row is never valid in another
   * table.
   */
  readonly label: readonly string[];
  /** The columns that the MAC covers, in this order. */
  readonly columns: readonly (keyof Row & string)[];
  /** A column that a later version of the schema added. The MAC covers it last, unless it is null. */
  readonly added?: keyof Row & string;
}

/** A row whose changes are all recorded in the audit log: a tenant, a key or an API key. */
export interface RecordedRow {
  readonly tenant_id: string;
  /** The id of the audit entry of the last change. The id is 0 if the row is a tenant that was never changed. */
  readonly rev: number;
  readonly mac: Uint8Array;
}

/**
 * A row, and the `rev` of its newest record. If an older version of the row was put back, the row's `rev` differs from
 * `newest_rev`.
 */
export type Loaded<Row> = Row & { readonly newest_rev: number | null };

/** A part of an SQL query. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** Describes a table of recorded rows. */
export function recordedTable<Row extends RecordedRow>(
  name: string,
  id: keyof Row & string,
  columns: readonly (keyof Row & string)[],
): Table<Row> {
  return { name, id, label: ['eaas row v1', name], columns };
}

export async function insertRow<Row extends RecordedRow>(tx: Transaction, table: Table<Row>, row: Row) {
  // `execute` sends the row at once, because the next statements can refer to it.
  const insert = tx`insert into eaas.${tx(table.name)} ${valuesOf(tx, table, row)}`.execute();
  await Promise.all([insert, recordRow(tx, table, row)]);
}

/** Updates a row and inserts the record of the change. */
export async function updateRow<Row extends RecordedRow>(tx: Transaction, table: Table<Row>, row: Row) {
  const update = tx`update eaas.${tx(table.name)} set ${valuesOf(tx, table, row)}
    where tenant_id = ${row.tenant_id} and ${tx(table.id)} = ${idOf(table, row)}`;
  await Promise.all([update, recordRow(tx, table, row)]);
}

async function recordRow<Row extends RecordedRow>(tx: Transaction, table: Table<Row>, row: Row) {
  await tx`insert into eaas.row_records (tenant_id, subject, rev)
    values (${row.tenant_id}, ${idOf(table, row)}, ${row.rev})`;
}

/** Reads rows with their newest records. `rest` follows the table's name in the query. */
export async function loadRows<Row>(sql: Sql, table: Table<Row>, rest: Fragment): Promise<Loaded<Row>[]> {
  return sql<Loaded<Row>[]>`
    select t.*, (select max(r.rev) from eaas.row_records r
      where r.tenant_id = t.tenant_id and r.subject = t.${sql(table.id)}) as newest_rev
    from eaas.${sql(table.name)} t ${rest}`;
}

/** Counts rows. `from` is the rest of the query: a table and its conditions. */
export async function countRows(sql: Sql, from: Fragment): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*) as count from ${from}`;
  return row?.count ?? 0;
}

/** Returns the first row of a query's result. */
export async function first<Row>(query: PromiseLike<readonly Row[]>): Promise<Row | undefined> {
  const [row] = await query;
  return row;
}

/** Reads the ids of the rows that changed after an entry, newest first, up to `limit`. */
export async function changedRows(sql: Sql, tenantId: string, after: number, limit: number) {
  const rows = await sql<{ subject: string }[]>`
    select subject from eaas.row_records where tenant_id = ${tenantId} and rev > ${after}
    order by rev desc limit ${limit}`;
  return rows.map(({ subject }) => subject);
}

function idOf<Row>(table: Table<Row>, row: Row): string {
  return String(row[table.id as keyof Row]);
}

function valuesOf<Row extends RecordedRow>(tx: Transaction, { columns }: Table<Row>, row: Row) {
  return tx(row as Record<string, never>, [...columns, 'mac']);
}
