import type postgres from 'postgres';
import type { Sql, Transaction } from './sql.ts';

/** A database table that has a MAC in each row. */
export interface Table<Row> {
  readonly name: string;
  /** The column that identifies a row among the tenant's rows. */
  readonly id: string;
  /**
   * The first parts of the MAC's input. The label differs per table, so that the MAC of a row is not valid in another
   * table.
   */
  readonly label: readonly string[];
  /** The columns that the MAC covers. Their order is the order of the MAC's input. */
  readonly columns: readonly (keyof Row & string)[];
  /**
   * A column that a later version of the schema has added. If the column is not null, the MAC covers it after the other
   * columns.
   */
  readonly added?: keyof Row & string;
}

/** A row whose changes the audit log records: a tenant, a key or an API key. */
export interface RecordedRow {
  readonly tenant_id: string;
  /** The id of the audit entry that records the row's last change. It is 0 for a tenant that was never changed. */
  readonly rev: number;
  readonly mac: Uint8Array;
}

/**
 * A row with the `rev` of its newest record. If the row itself has another `rev`, someone has replaced the row by an
 * older version.
 */
export type Loaded<Row> = Row & { readonly newest_rev: number | null };

export type Fragment = postgres.PendingQuery<postgres.Row[]>;

export function recordedTable<Row extends RecordedRow>(
  name: string,
  id: keyof Row & string,
  columns: readonly (keyof Row & string)[],
): Table<Row> {
  return { name, id, label: ['eaas row v1', name], columns };
}

export async function insertRow<Row extends RecordedRow>(tx: Transaction, table: Table<Row>, row: Row) {
  // `execute` sends the insert of the row at once, because the next statements can refer to the row.
  const insert = tx`insert into eaas.${tx(table.name)} ${valuesOf(tx, table, row)}`.execute();
  await Promise.all([insert, recordRow(tx, table, row)]);
}

export async function updateRow<Row extends RecordedRow>(tx: Transaction, table: Table<Row>, row: Row) {
  const update = tx`update eaas.${tx(table.name)} set ${valuesOf(tx, table, row)}
    where tenant_id = ${row.tenant_id} and ${tx(table.id)} = ${idOf(table, row)}`;
  await Promise.all([update, recordRow(tx, table, row)]);
}

async function recordRow<Row extends RecordedRow>(tx: Transaction, table: Table<Row>, row: Row) {
  await tx`insert into eaas.row_records (tenant_id, subject, rev)
    values (${row.tenant_id}, ${idOf(table, row)}, ${row.rev})`;
}

/** Reads rows of a table with their newest records. `rest` is the part of the query that follows the table's name. */
export async function loadRows<Row>(sql: Sql, table: Table<Row>, rest: Fragment): Promise<Loaded<Row>[]> {
  return sql<Loaded<Row>[]>`
    select t.*, (select max(r.rev) from eaas.row_records r
      where r.tenant_id = t.tenant_id and r.subject = t.${sql(table.id)}) as newest_rev
    from eaas.${sql(table.name)} t ${rest}`;
}

/** Counts rows. `from` is the part of the query that contains the table and the conditions. */
export async function countRows(sql: Sql, from: Fragment): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*) as count from ${from}`;
  return row?.count ?? 0;
}

export async function first<Row>(query: PromiseLike<readonly Row[]>): Promise<Row | undefined> {
  const [row] = await query;
  return row;
}

/** Reads the ids of a tenant's rows that were changed after an audit entry, newest first, up to `limit`. */
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
