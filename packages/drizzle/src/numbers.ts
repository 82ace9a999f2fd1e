// Ids that PostgreSQL draws from a sequence: an insert takes them first, because a ciphertext is bound to the id of its row.
import { getTableName, Param, sql, type Table } from 'drizzle-orm';
import { type Row, storedName } from './access.ts';
import { Late, type Run } from './late.ts';
import type { Methods } from './run.ts';
import { type KeyedColumn, schemaOf } from './table.ts';
import type { RowId } from './writes.ts';

/** Takes ids for new rows from the sequence of the column when the statement runs. `row` is what the statement writes. */
export function numberLater(
  database: Methods,
  table: Table,
  { key, column }: KeyedColumn,
  rows: readonly { readonly row: Row; id: RowId }[],
  { first }: Run,
): void {
  const ids = rows.map(({ row }) => {
    const id = new Late();
    row[key] = id;
    return id;
  });
  const names = [schemaOf(table) ?? [], getTableName(table)].flat();
  const quoted = names.map((name) => `"${name.replaceAll('"', '""')}"`);
  const sequence = sql`pg_get_serial_sequence(${quoted.join('.')}, ${storedName(database, column)})`;
  first.push(async () => {
    const query = database['select']?.({ number: sql`nextval(${sequence})::text` }) as {
      from(source: unknown): Promise<{ number: string | null }[]>;
    };
    const taken = await query.from(sql`generate_series(1, ${rows.length}::int)`);
    for (const [at, row] of rows.entries()) {
      const { number } = taken[at] ?? {};
      // Without a sequence it is null, and the row cannot be encrypted.
      if (number) row.id = column.dataType === 'bigint' ? BigInt(number) : Number(number);
      ids[at]?.settle(new Param(row.id, column));
    }
  });
}
