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
   * Computes fingerprints in the service (`service`), or in the client with a token of `createIndexKey`. Required if a
   * column is searchable.
   */
  readonly index?: IndexSource | readonly IndexSource[] | undefined;
  /** The keys of tables (`users`) and of columns (`users.email`). All other columns use the client's key. */
  readonly keyIds?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

/** A row to encrypt or decrypt. Its values have the names of the database columns. */
export type Row = Record<string, unknown>;

/** Encrypts and decrypts the rows of one table. */
export interface TableRecords {
  /** Encrypts rows that have received their ids from `withId`. */
  encrypt(rows: readonly Row[]): Promise<Row[]>;
  decrypt(rows: readonly Row[]): Promise<Row[]>;
  /** Returns the fingerprints with which a search finds a value. */
  fingerprints(column: string, value: unknown): Promise<readonly string[]>;
  /** Returns the fingerprints to search by, for each index column. A column of a list has one list for each part. */
  search(column: string, query: unknown): Promise<Readonly<Record<string, readonly string[] | string[][]>>>;
}

/** The id of a row. Undefined if no encrypted column of the table is bound to the row id. */
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

/** Returns a function that creates the records of a table on the first call, and then reuses them. */
export function recordsFor(
  client: FieldsClient,
  { index, keyIds = {} }: EncryptedOptions,
): (table: Table) => TableRecords {
  // A table and its aliases share the object that describes the encryption of a column, and therefore share their
  // records.
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

// A symbol as the name of the row id, because no column can have the same name.
const rowId = Symbol('row id');
type WithId = Row & { readonly [rowId]?: RowId };

/** Sets the id of a row in place, and returns the row. */
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
