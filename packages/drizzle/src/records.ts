import { type Column, getTableColumns, is, Table } from 'drizzle-orm';
import {
  defineFields,
  type FieldsClient,
  type FieldsDefinition,
  type IndexSource,
  type OnError,
  type RecordId,
  type Records,
  reportCiphertexts,
  type Tables,
  type Unencrypted,
} from '@eaas/sdk/fields';
import {
  encryptedColumns,
  type Encryption,
  encryptionOf,
  isIndexColumn,
  subjectColumnOf,
} from './encryption.ts';
import { refuse } from './error.ts';
import { type KnownColumns, knownColumns, type Report } from './plain-fields.ts';

/** Options of `encrypted`. */
export interface EncryptedOptions {
  /**
   * Who computes fingerprints: the client (a token from `createIndexKey`), or the service (`service`), which then sees
   * the values. Required if a column is searchable.
   */
  readonly index?: IndexSource | readonly IndexSource[] | undefined;
  /**
   * The ids of the keys that encrypt a table (`users`) or a column (`users.email`). All other columns use the key of
   * the client.
   */
  readonly keyIds?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  /**
   * What a stored value that cannot be decrypted becomes, in all tables or by table (`{ users: 'null' }`). With `throw`,
   * the query fails. With `null`, the column is null. What a function returns stands for the value. By default, only the
   * values of erased people are null, and others fail the query. `db.onError(…)` decides for single queries.
   */
  readonly onError?: OnError | Readonly<Record<string, OnError | undefined>> | undefined;
  /**
   * Returns the user on whose behalf a statement encrypts and decrypts, for example from an `AsyncLocalStorage`. The
   * audit log then says who read whose data. `db.as('7')` decides for single queries.
   */
  readonly user?: (() => string | undefined) | undefined;
}

export type Row = Record<string, unknown>;

export interface TableRecords {
  encrypt(rows: readonly Row[]): Promise<Row[]>;
  decrypt(rows: readonly Row[], onError: OnError | undefined): Promise<Row[]>;
  /** Returns the fingerprints of all values, sorted, so that a statement does not show the order of the values. */
  fingerprints(column: string, values: readonly unknown[]): Promise<readonly string[]>;
  /** Returns the decrypted rows whose column matches the query exactly. */
  onlyMatching(column: string, rows: readonly Row[], query: Row): Row[];
  search(column: string, query: unknown): Promise<Readonly<Record<string, readonly string[] | string[][]>>>;
  /** The same, on behalf of a user. */
  as(user: string): TableRecords;
}

export type RowId = RecordId | undefined;

/** What statements need to encrypt, decrypt and check rows. */
export interface Access {
  readonly recordsOf: (table: Table) => TableRecords;
  /** `recordsOf` on behalf of a user. */
  readonly recordsFor: (user: string) => Access['recordsOf'];
  readonly known: KnownColumns;
  readonly report: Report;
  /** What a value of the table becomes if it cannot be decrypted. Undefined is the default of the SDK for lists. */
  readonly onErrorOf: (table: string) => OnError | undefined;
}

/** What Drizzle's databases have besides their methods. */
interface Database {
  readonly dialect?: { readonly casing?: { getColumnCasing(column: Column): string } };
  readonly _?: { readonly fullSchema?: Readonly<Record<string, unknown>> };
}

/** Throws for a mistake in the options or in a table of the schema. Other tables are checked when they are used. */
export function accessFor(database: object, client: FieldsClient, options: EncryptedOptions): Access {
  const { dialect, _ }: Database = database;
  const nameOf = (column: Column): string => dialect?.casing?.getColumnCasing(column) ?? column.name;
  const all = recordsFor(client, options, nameOf);
  const recordsOf: Access['recordsOf'] = (table) => {
    const user = options.user?.();
    return user === undefined ? all(table) : all(table).as(user);
  };
  for (const table of Object.values(_?.fullSchema ?? {})) {
    if (is(table, Table) && encryptedColumns(table).length > 0) all(table);
  }
  return {
    recordsOf,
    recordsFor: (user) => (table) => all(table).as(user),
    known: knownColumns(database),
    report: (place, values) => reportCiphertexts(client, place, values),
    onErrorOf: onErrorsOf(options.onError),
  };
}

/** Throws EncryptedColumnError for an option `onError` that says nothing about what to do. */
export function onErrorsOf(given: EncryptedOptions['onError']): Access['onErrorOf'] {
  const isByTable = typeof given === 'object' && given !== null;
  const byTable: Readonly<Record<string, unknown>> = isByTable ? given : { '*': given };
  for (const [table, handler] of Object.entries(byTable)) {
    if (handler === undefined || handler === 'throw' || handler === 'null' || typeof handler === 'function')
      continue;
    refuse(
      'schema',
      { table: isByTable ? table : undefined },
      "`onError` must be 'throw', 'null' or a function",
      "pass 'null' to read a value that cannot be decrypted as null",
    );
  }
  if (!isByTable) return () => given;
  return (table) => (Object.hasOwn(given, table) ? given[table] : undefined);
}

const plain: Unencrypted = { unencrypted: true };

/**
 * Returns the encrypted fields of tables. Pass them to `checkConstraints` or a re-encryption job, or use them without
 * Drizzle.
 */
export function fieldsOf(...tables: readonly Table[]): FieldsDefinition<Tables> {
  return defineFields(Object.fromEntries(tables.map(definitionOf)));
}

function definitionOf(table: Table): [string, Tables[string]] {
  const name = encryptedColumns(table)[0]?.encryption.table ?? '';
  const columns = Object.values(getTableColumns(table))
    .filter((column) => !isIndexColumn(column))
    .map((column) => [column.name, encryptionOf(column)?.field ?? plain] as const);
  const subject = subjectColumnOf(table);
  return [name, { ...Object.fromEntries(columns), ...(subject && { subject: subject.column.name }) }];
}

function recordsFor(
  client: FieldsClient,
  { index, keyIds = {} }: EncryptedOptions,
  nameOf: (column: Column) => string,
): Access['recordsOf'] {
  // The aliases of a table have the same `Encryption` objects as the table.
  const known = new WeakMap<Encryption, TableRecords>();
  return (table) => {
    const [first] = encryptedColumns(table);
    if (!first) throw new TypeError('the table must have at least one encrypted column (got none)');
    const { encryption } = first;
    const name = encryption.table;
    const places = Object.entries(keyIds).filter(([place]) => place === name || place.startsWith(`${name}.`));
    const create = (): TableRecords => {
      requireOwnNames(table, nameOf);
      // The SDK checks `index` at run time, because the type of the definition does not say what is searchable.
      const options = { index, keyIds: Object.fromEntries(places) } as { index: IndexSource };
      return adapt(name, fieldsOf(table).for(client, options));
    };
    const found = known.get(encryption) ?? create();
    known.set(encryption, found);
    return found;
  };
}

/** Ciphertexts are bound to the name of their column in the schema, which must therefore be the name in the database. */
function requireOwnNames(table: Table, nameOf: (column: Column) => string): void {
  const subject = subjectColumnOf(table);
  const columns = encryptedColumns(table).map(({ column, encryption }) => ({ column, place: encryption }));
  const place = { table: columns[0]?.place.table, column: subject?.column.name };
  for (const { column, place: of } of [...columns, ...(subject ? [{ ...subject, place }] : [])]) {
    const name = nameOf(column);
    if (name === column.name) continue;
    refuse(
      'schema',
      of,
      `\`casing\` changes the name of the column to \`${name}\`, but ciphertexts are bound to the name in the schema`,
      `pass the name to the builder of the column, as in \`encryptedText('${name}')\``,
    );
  }
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
  const idOf = (row: Row): RecordId => (row as WithId)[rowId] as RecordId;
  const search = async (column: string, query: unknown): Promise<Record<string, string[] | string[][]>> =>
    records.where(table, { [column]: query } as never);
  return {
    encrypt(rows) {
      return records.encryptRows(table, rows, idOf);
    },
    async decrypt(rows, onError) {
      return records.decryptRows(table, rows as never[], idOf, { onError });
    },
    async fingerprints(column, values) {
      const found = await Promise.all(values.map((value) => search(column, value)));
      return [...new Set(found.flatMap((terms) => Object.values(terms).flat(2)))].sort();
    },
    onlyMatching: (column, rows, query) => records.onlyMatching(table, rows, { [column]: query }),
    search,
    as: (user) => adapt(table, records.as(user)),
  };
}
