// What statements need to encrypt and decrypt the rows of a table: the records of the SDK, for a user, and what stands for
// a value that cannot be decrypted. `withEncryption` makes it once, and `as` and `onError` change it.
import { type Column, getTableColumns, is, Table } from 'drizzle-orm';
import {
  defineFields,
  type FieldsClient,
  type FieldsDefinition,
  type IndexSource,
  type OnError,
  type RecordId,
  type Records,
  type Tables,
} from '@eaas/sdk/fields';
import { type OptionNames, requireNames } from '@eaas/sdk/internal';
import { refuse } from './error.ts';
import { type KnownColumns, knownColumns } from './fields.ts';
import type { EncryptedEntry, Encryption } from './table.ts';
import { encryptedTables, encryptionOf, isIndexColumn, layoutOf } from './table.ts';

/** Options of `withEncryption`. */
export interface EncryptionOptions<Table extends string = string> {
  /**
   * Who computes fingerprints: the client (a token from `createIndexKey`), or the service (`service`), which then sees
   * the values. Required if a column is searchable.
   */
  readonly index?: IndexSource | readonly IndexSource[] | undefined;
  /**
   * The ids of the keys that encrypt a table (`users`) or a column (`users.email`). All other columns use the key of
   * the client.
   */
  readonly keyIds?:
    | Readonly<Partial<Record<Table | `${Table}.${string}`, string | readonly string[] | undefined>>>
    | undefined;
  /**
   * What a stored value that cannot be decrypted becomes, in all tables or by table (`{ users: 'null' }`). With `throw`,
   * the query fails. With `null`, the column is null. What a function returns stands for the value. By default, only the
   * values of erased people are null, and others fail the query. `db.onError(…)` decides for single queries.
   */
  readonly onError?: OnError | Readonly<Partial<Record<Table, OnError | undefined>>> | undefined;
  /**
   * Returns the user on whose behalf a statement encrypts and decrypts, for example from an `AsyncLocalStorage`. The
   * audit log then says who read whose data. `db.as('7')` decides for single queries.
   */
  readonly user?: (() => string | undefined) | undefined;
}

const optionNames: OptionNames<EncryptionOptions> = { index: 0, keyIds: 0, onError: 0, user: 0 };

/** Where a row has its id, beside its values by the names of their columns. */
export const rowId = Symbol('row id');
export type RowId = RecordId | undefined;
export type Row = Record<string, unknown> & { [rowId]?: RowId };

export interface Access {
  /** The records of a table, without a user. */
  readonly all: (table: Table) => Records<Tables>;
  readonly user: EncryptionOptions['user'];
  readonly known: KnownColumns;
  /** What a value of the table becomes if it cannot be decrypted. Undefined is the default of the SDK for lists. */
  readonly onErrorOf: (table: string) => OnError | undefined;
  readonly isTransaction?: boolean;
}

/** The name of a column in a database of Drizzle. */
export function storedName(database: object, column: Column): string {
  const { dialect } = database as { dialect?: { casing?: { getColumnCasing(column: Column): string } } };
  return dialect?.casing?.getColumnCasing(column) ?? column.name;
}

/** Throws for a mistake in the options or in a table of the schema. Other tables are checked when they are used. */
export function accessFor(database: object, client: FieldsClient, options: EncryptionOptions): Access {
  requireNames(optionNames, options, 'withEncryption');
  const { index, keyIds, onError, user } = options;
  // The aliases of a table have the same `Encryption` objects as the table.
  const made = new WeakMap<Encryption, Records<Tables>>();
  const all = (table: Table): Records<Tables> => {
    const { encryption } = layoutOf(table).columns[0] as EncryptedEntry;
    const found = made.get(encryption);
    if (found) return found;
    // Not before: without a schema, a module that is loaded later can define a table.
    requireTables(options, schema.length === 0 ? [...encryptedTables] : encrypted.map(nameOf));
    requireOwnNames(table, database);
    // The SDK checks `index` at run time, because the type of the definition does not say what is searchable.
    const own = { index, keyIds: keyIdsOf(encryption.table, keyIds) } as { index: IndexSource };
    const records = fieldsOf(table).for(client, own);
    made.set(encryption, records);
    return records;
  };
  const { _ } = database as { _?: { fullSchema?: Readonly<Record<string, unknown>> } };
  const schema = Object.values(_?.fullSchema ?? {}).filter((value): value is Table => is(value, Table));
  const encrypted = schema.filter((table) => layoutOf(table).columns.length > 0);
  for (const table of encrypted) all(table);
  return { all, user, known: knownColumns(encrypted), onErrorOf: onErrorsOf(onError) };
}

/** Throws for an option `onError` that does not say what to do. */
export function onErrorsOf(given: EncryptionOptions['onError']): Access['onErrorOf'] {
  const isByTable = typeof given === 'object' && given !== null;
  const byTable = new Map<string | undefined, OnError | undefined>(
    isByTable ? Object.entries(given) : [[undefined, given]],
  );
  for (const [table, handler] of byTable) {
    if ([undefined, 'throw', 'null'].includes(handler as 'null') || typeof handler === 'function') continue;
    const remedy = "pass 'null' to read a value that cannot be decrypted as null";
    refuse('schema', { table }, "`onError` must be 'throw', 'null' or a function", remedy);
  }
  return (table) => byTable.get(isByTable ? table : undefined);
}

/** Throws for a name in the options that is of none of the tables. The SDK checks the names of columns. */
function requireTables({ keyIds, onError }: EncryptionOptions, tables: readonly string[]): void {
  const places = tables.flatMap((table) => Object.keys(keyIdsOf(table, keyIds)));
  const unknownOf = (given: unknown, known: readonly string[]): string | undefined =>
    typeof given === 'object' ? Object.keys({ ...given }).find((name) => !known.includes(name)) : undefined;
  const [place, table] = [unknownOf(keyIds, places), unknownOf(onError, tables)];
  if (place === undefined && table === undefined) return;
  const problem = `\`${place === undefined ? 'onError' : 'keyIds'}\` names no known table with encrypted columns`;
  const remedy = `name one of (${tables.join(', ')}), or list its table in \`schema\``;
  refuse('schema', { table: place ?? table }, problem, remedy);
}

/**
 * Returns the encrypted fields of tables. Pass them to `checkConstraints` or a re-encryption job, or use them without
 * Drizzle.
 */
export function fieldsOf(...tables: readonly Table[]): FieldsDefinition<Tables> {
  const definitions = tables.map((table): [string, Tables[string]] => {
    const { subject } = layoutOf(table);
    const fields = Object.values<Column>(getTableColumns(table))
      .filter((column): boolean => !isIndexColumn(column))
      .map((column) => [column.name, encryptionOf(column)?.field ?? { unencrypted: true }] as const);
    // A table without `lowEntropy` has no index that needs it: `encryptedTable` has seen to that.
    const options = { lowEntropy: 'accepted', ...(subject && { subject: subject.column.name }) };
    return [nameOf(table), { ...Object.fromEntries(fields), ...options }];
  });
  return defineFields(Object.fromEntries(definitions));
}

/** The name of the table, also for an alias. */
const nameOf = (table: Table): string => layoutOf(table).columns[0]?.encryption.table ?? '';

/** The key ids of a table and its columns. */
export function keyIdsOf(table: string, keyIds: EncryptionOptions['keyIds']): object {
  const places = Object.entries({ ...keyIds });
  return Object.fromEntries(places.filter(([place]) => place === table || place.startsWith(`${table}.`)));
}

/** Ciphertexts are bound to the name of their column in the schema, which must therefore be the name in the database. */
function requireOwnNames(table: Table, database: object): void {
  const { columns, subject } = layoutOf(table);
  for (const { column } of [...columns, ...(subject ? [subject] : [])]) {
    const name = storedName(database, column);
    if (name === column.name) continue;
    const place = { table: nameOf(table), column: column.name };
    const problem = `\`casing\` changes the name of the column to \`${name}\`, but ciphertexts are bound to the name in the schema`;
    refuse('schema', place, problem, `name the column, as in \`encrypted('${name}', field.text())\``);
  }
}

/** The records of a table, on behalf of the user. */
export function recordsOf({ all, user }: Access, of: Table) {
  const [table, actor] = [nameOf(of), user?.()];
  const own = actor === undefined ? all(of) : all(of).as(actor);
  const idOf = (row: Row): RecordId => row[rowId] as RecordId;
  return {
    encrypt: async (rows: readonly Row[]): Promise<Row[]> => own.encryptRows(table, rows as never[], idOf),
    decrypt: async (rows: readonly Row[], onError: OnError | undefined): Promise<Row[]> =>
      own.decryptRows(table, rows, idOf, { onError }),
    /** Returns the fingerprints to search for, by the names of index columns. */
    search: async (column: string, query: unknown): Promise<Record<string, string[] | string[][]>> =>
      own.where(table, { [column]: query } as never),
    /** Returns the decrypted rows whose column matches the query exactly. */
    onlyMatching: (column: string, rows: readonly Row[], query: Row): Row[] =>
      own.onlyMatching(table, rows, { [column]: query }),
  };
}
