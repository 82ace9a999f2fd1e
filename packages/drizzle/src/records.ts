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
  /** Where fingerprints are computed: `service`, or a token of `createIndexKey`. Required if a column is searchable. */
  readonly index?: IndexSource | readonly IndexSource[] | undefined;
  /** The keys of tables (`users`) and of columns (`users.email`). Defaults to the key of the client. */
  readonly keyIds?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

/** A row for encryption or decryption. Its values have the names of the columns. */
export type Row = Record<string, unknown>;

/** Encrypts and decrypts the rows of one table. */
export interface TableRecords {
  /** The rows have their ids: see `withId`. */
  encrypt(rows: readonly Row[]): Promise<Row[]>;
  decrypt(rows: readonly Row[]): Promise<Row[]>;
  /** Returns the fingerprints of a value. */
  fingerprints(column: string, value: unknown): Promise<readonly string[]>;
}

/** The id of a row. Undefined if no column is bound to the row. */
export type RowId = RecordId | undefined;

const plain: Unencrypted = { unencrypted: true };

/** Returns the encrypted fields of tables: for `checkConstraints`, for the re-encryption job, or for other queries. */
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

/** Returns a function that returns the records of a table. It creates them on first use. */
export function recordsFor(
  client: FieldsClient,
  { index, keyIds = {} }: EncryptedOptions,
): (table: Table) => TableRecords {
  // The encryption of a column is one object, also for aliases of the table.
  const known = new WeakMap<Encryption, TableRecords>();
  return (table) => {
    const [first] = encryptedColumns(table);
    if (!first) throw new TypeError('the table has no encrypted columns');
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

// The id of a row, where it cannot collide with a column.
const rowId = Symbol('row id');
type WithId = Row & { readonly [rowId]?: RowId };

/** Gives a row its id. Changes the row. */
export function withId(row: Row, id: RowId): Row {
  (row as { [rowId]?: RowId })[rowId] = id;
  return row;
}

function adapt(table: string, records: Records<Tables>): TableRecords {
  const idOf = (row: object): RecordId => (row as WithId)[rowId] as RecordId;
  return {
    encrypt(rows) {
      return records.encryptRows(table, rows, idOf);
    },
    async decrypt(rows) {
      return (await records.decryptRows(table, rows as never[], idOf)) as Row[];
    },
    async fingerprints(column, value) {
      const terms = await records.where(table, { [column]: value } as never);
      return Object.values(terms as Record<string, string[]>).flat();
    },
  };
}
