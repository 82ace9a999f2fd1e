import { getTableColumns, type Table } from 'drizzle-orm';
import {
  defineFields,
  type Field,
  type FieldsClient,
  type FieldsDefinition,
  type IndexSource,
  type RecordId,
  type Records,
  type Tables,
  type Unencrypted,
} from '@eaas/sdk/fields';
import { encryptedColumns, type Encryption, encryptionOf, isIndexColumn } from './encryption.ts';

/** Options of `encrypted`. */
export interface EncryptedOptions {
  /**
   * Who computes fingerprints: the service (`service`), the client (a token from `createIndexKey`), or both
   * together (`blind`). With `blind` the service never sees a value. Required if a column is searchable.
   */
  readonly index?: IndexSource | readonly IndexSource[] | undefined;
  /**
   * The ids of the keys that encrypt a table (`users`) or a column (`users.email`). All other columns use the key of
   * the client.
   */
  readonly keyIds?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

export type Row = Record<string, unknown>;

export interface TableRecords {
  encrypt(rows: readonly Row[]): Promise<Row[]>;
  decrypt(rows: readonly Row[]): Promise<Row[]>;
  fingerprints(column: string, value: unknown): Promise<readonly string[]>;
  search(column: string, query: unknown): Promise<Readonly<Record<string, readonly string[] | string[][]>>>;
}

export type RowId = RecordId | undefined;

const plain: Unencrypted = { unencrypted: true };

/**
 * Returns the encrypted fields of tables. Pass them to `checkConstraints` or a re-encryption job, or use them without
 * Drizzle.
 */
export function fieldsOf(...tables: readonly Table[]): FieldsDefinition<Tables> {
  return defineFields(Object.fromEntries(tables.map(definitionOf)));
}

function definitionOf(table: Table): [string, Record<string, Field<unknown> | Unencrypted>] {
  const name = encryptedColumns(table)[0]?.encryption.table ?? '';
  const columns = Object.values(getTableColumns(table))
    .filter((column) => !isIndexColumn(column))
    .map((column) => [column.name, encryptionOf(column)?.field ?? plain] as const);
  return [name, Object.fromEntries(columns)];
}

export function recordsFor(
  client: FieldsClient,
  { index, keyIds = {} }: EncryptedOptions,
): (table: Table) => TableRecords {
  // The aliases of a table have the same `Encryption` objects as the table.
  const known = new WeakMap<Encryption, TableRecords>();
  return (table) => {
    const [first] = encryptedColumns(table);
    if (!first) throw new TypeError('the table must have at least one encrypted column (got none)');
    const { encryption } = first;
    const name = encryption.table;
    const places = Object.entries(keyIds).filter(([place]) => place === name || place.startsWith(`${name}.`));
    const create = (): TableRecords => {
      const definition = fieldsOf(table);
      return adapt(name, definition.for(client, { index: index ?? [], keyIds: Object.fromEntries(places) }));
    };
    const found = known.get(encryption) ?? create();
    known.set(encryption, found);
    return found;
  };
}

// The property of a row that contains the id of the row. The property is a symbol, so that it differs from the names of
// all columns.
const rowId = Symbol('row id');
type WithId = Row & { readonly [rowId]?: RowId };

export function withId(row: Row, id: RowId): Row {
  (row as { [rowId]?: RowId })[rowId] = id;
  return row;
}

function adapt(table: string, records: Records<Tables>): TableRecords {
  const idOf = (row: object): RecordId => (row as WithId)[rowId] as RecordId;
  const search = async (column: string, query: unknown): Promise<Record<string, string[] | string[][]>> =>
    records.where(table, { [column]: query } as never);
  return {
    encrypt(rows) {
      return records.encryptRows(table, rows, idOf);
    },
    async decrypt(rows) {
      return (await records.decryptRows(table, rows as never[], idOf)) as Row[];
    },
    async fingerprints(column, value) {
      return Object.values(await search(column, value)).flat(2);
    },
    search,
  };
}
