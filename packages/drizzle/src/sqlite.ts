// The entry for SQLite: Drizzle's types of SQLite around what all dialects share.
import type { BuildColumns, Table } from 'drizzle-orm';
import {
  type BaseSQLiteDatabase,
  check,
  type SelectedFields,
  SQLiteColumn,
  SQLiteColumnBuilder,
  type SQLiteColumnBuilderBase,
  type SQLiteSelectBuilder,
  type SQLiteTable,
  sqliteTable,
  type SQLiteTableExtraConfigValue,
  type TableConfig,
} from 'drizzle-orm/sqlite-core';
import type { FieldsClient, OnError, SubstituteOf, Throwing } from '@eaas/sdk/fields';
import { type ColumnData, columnsOf, type Create, type EncryptedBuilder } from './columns.ts';
import { encryptedDatabase } from './database.ts';
import { type EaasConfig, setSubject } from './encryption.ts';
import type { EncryptedOptions } from './records.ts';
import type { ColumnOptions, Search } from './spec.ts';
import { indexing, optionsOf, type TableOptions } from './table.ts';
import type { Accessible, EncryptedColumn, OpenedFields, TransactionOf } from './types.ts';

export { EncryptedColumnError, type EncryptedColumnErrorCode } from './error.ts';
export { type EncryptedOptions, fieldsOf } from './records.ts';
export {
  columnOf,
  eq,
  type Equality,
  excluded,
  inArray,
  isNotNull,
  isNull,
  matches,
  type Membership,
  ne,
  notInArray,
  type Presence,
} from './operators.ts';
export type { ColumnOptions, Search, SearchParameters } from './spec.ts';
export { type TableOptions, withoutIndexes } from './table.ts';
export type {
  DataOf,
  EncryptedColumn,
  PartsOf,
  PartsQuery,
  SearchableColumn,
  Searched,
  SearchedBy,
} from './types.ts';

const { withIndexes, ...create } = columnsOf({
  name: 'SQLite',
  Builder: SQLiteColumnBuilder,
  Column: SQLiteColumn,
  sqlType: () => 'text',
});

/** Column builder of an encrypted column. */
export interface EncryptedSQLiteColumnBuilder<Value, S extends Search>
  extends
    EncryptedBuilder<Value, S>,
    SQLiteColumnBuilder<ColumnData<Value, 'EncryptedSQLiteColumn'>, EaasConfig, { encrypted: true }> {
  /** Adds a unique constraint to the index column, so that no value occurs twice. Requires `searchable`. */
  unique(name?: string): this;
  default: EncryptedBuilder<Value, S>['default'];
  generatedAlwaysAs: EncryptedBuilder<Value, S>['generatedAlwaysAs'];
  primaryKey: EncryptedBuilder<Value, S>['primaryKey'];
  references: EncryptedBuilder<Value, S>['references'];
}

type Builder<Value, S extends Search> = EncryptedSQLiteColumnBuilder<Value, S>;

/** Defines an encrypted column of text. */
export const encryptedText = create.text as Create<string, Builder<string, 'text'>>;
/** Defines an encrypted column of numbers. */
export const encryptedNumber = create.number as Create<number, Builder<number, 'guessable'>>;
/** Defines an encrypted column of bigints. */
export const encryptedBigint = create.bigint as Create<bigint, Builder<bigint, 'guessable'>>;
/** Defines an encrypted column of booleans. */
export const encryptedBoolean = create.boolean as Create<boolean, Builder<boolean, 'guessable'>>;
/** Defines an encrypted column of Dates with a precision of milliseconds. */
export const encryptedDate = create.date as Create<Date, Builder<Date, 'guessable'>>;
/** Defines an encrypted column of bytes. */
export const encryptedBytes = create.bytes as Create<Uint8Array, Builder<Uint8Array, 'none'>>;
/** Defines an encrypted column of JSON values with a given type: `encryptedJson<Notes>()`. */
export const encryptedJson = create.json as {
  <Value>(options?: ColumnOptions<Value>): Builder<Value, 'none'>;
  <Value>(name: string, options?: ColumnOptions<Value>): Builder<Value, 'none'>;
};

/**
 * A table with encrypted columns. In TypeScript, `like`, `gt` and `asc` do not accept an encrypted column, because its
 * type is not a Drizzle column type.
 */
export type EncryptedSQLiteTable<T extends TableConfig> = SQLiteTable<T> & Accessible<T['columns']>;

type Columns = Record<string, SQLiteColumnBuilderBase>;
type ExtraConfig<Name extends string, C extends Columns> = (
  self: BuildColumns<Name, C, 'sqlite'>,
) => SQLiteTableExtraConfigValue[];
type Created<
  Name extends string,
  Schema extends string | undefined,
  C extends Columns,
> = EncryptedSQLiteTable<{
  name: Name;
  schema: Schema;
  columns: BuildColumns<Name, C, 'sqlite'>;
  dialect: 'sqlite';
}>;

/**
 * Creates a table like `sqliteTable`, and adds an index column for each searchable column. Throws EncryptedColumnError
 * for an invalid definition.
 */
export function encryptedTable<Name extends string, C extends Columns>(
  name: Name,
  columns: C,
  options?: ExtraConfig<Name, C> | TableOptions<keyof C & string, ExtraConfig<Name, C>>,
): Created<Name, undefined, C> {
  const { subject, extraConfig } = optionsOf<ExtraConfig<Name, C>>(options);
  const table = sqliteTable(
    name,
    withIndexes(name, columns),
    indexing((): Table => table, extraConfig, check),
  );
  return setSubject(table, subject) as Created<Name, undefined, C>;
}

type Selectable = SelectedFields[string] | EncryptedColumn<unknown>;
type SelectableFields = Readonly<Record<string, Selectable | Readonly<Record<string, Selectable>>>>;

type Kind<Database> = Database extends BaseSQLiteDatabase<infer Kind, unknown> ? Kind : never;
type RunResult<Database> = Database extends { run(query: string): infer Result } ? Awaited<Result> : never;

interface Select<Database, Substitute> {
  (): SQLiteSelectBuilder<undefined, Kind<Database>, RunResult<Database>>;
  <Fields extends SelectableFields>(
    fields: Fields,
  ): OpenedFields<Fields, Substitute> extends infer Opened extends SelectedFields
    ? SQLiteSelectBuilder<Opened, Kind<Database>, RunResult<Database>>
    : never;
}

/** A Drizzle database whose statements encrypt and decrypt the values of encrypted columns. */
export type EncryptedSQLiteDatabase<Database extends object, Substitute = never> = Omit<
  Database,
  'select' | 'transaction'
> & {
  /** Selects all columns of a table, or the given columns. */
  readonly select: Select<Database, Substitute>;
  /** Runs statements in one transaction. The database that `run` receives also encrypts and decrypts. */
  transaction<Result>(
    run: (transaction: EncryptedSQLiteDatabase<TransactionOf<Database>, Substitute>) => Promise<Result>,
    config?: object,
  ): Promise<Result>;
  /**
   * Returns the database on behalf of a user, an opaque id: `db.as('7').select()…`. The audit log then says that this
   * user opened the data of the persons in the rows.
   */
  as(user: string): EncryptedSQLiteDatabase<Database, Substitute>;
  /**
   * Returns the database with another answer to a value that cannot be decrypted: `db.onError('null').select()…`. The
   * types say so for columns that `select({ … })` names.
   */
  onError<Handler extends OnError = Throwing>(
    handler: Handler,
  ): EncryptedSQLiteDatabase<Database, SubstituteOf<Handler>>;
  /** What `migrate` of `@eaas/migrate` knows of a table. */
  $encryptedTable(table: Table): object;
};

/**
 * Returns a Drizzle database whose statements encrypt values, search by fingerprints and decrypt results. A statement
 * that cannot work on an encrypted column throws EncryptedColumnError.
 */
export function encrypted<Database extends object>(
  database: Database,
  client: FieldsClient,
  options: EncryptedOptions = {},
): EncryptedSQLiteDatabase<Database> {
  const dialect = { dialect: 'sqlite', method: 'all' } as const;
  return encryptedDatabase(database, client, options, dialect) as EncryptedSQLiteDatabase<Database>;
}
