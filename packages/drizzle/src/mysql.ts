// The entry for MySQL: Drizzle's types of MySQL around what all dialects share.
import type { BuildColumns, Table } from 'drizzle-orm';
import {
  check,
  MySqlColumn,
  MySqlColumnBuilder,
  type MySqlColumnBuilderBase,
  type MySqlSelectBuilder,
  mysqlTable,
  type MySqlTable,
  type MySqlTableExtraConfigValue,
  type SelectedFields,
  type TableConfig,
} from 'drizzle-orm/mysql-core';
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
  name: 'MySql',
  Builder: MySqlColumnBuilder,
  Column: MySqlColumn,
  sqlType: (role) => (role.role === 'index' && !role.isList ? 'varchar(64)' : 'mediumtext'),
});

/** Column builder of an encrypted column. */
export interface EncryptedMySqlColumnBuilder<Value, S extends Search>
  extends
    EncryptedBuilder<Value, S>,
    MySqlColumnBuilder<ColumnData<Value, 'EncryptedMySqlColumn'>, EaasConfig, { encrypted: true }> {
  /** Adds a unique constraint to the index column, so that no value occurs twice. Requires `searchable`. */
  unique(name?: string): this;
  default: EncryptedBuilder<Value, S>['default'];
  generatedAlwaysAs: EncryptedBuilder<Value, S>['generatedAlwaysAs'];
  primaryKey: EncryptedBuilder<Value, S>['primaryKey'];
  references: EncryptedBuilder<Value, S>['references'];
}

type Builder<Value, S extends Search> = EncryptedMySqlColumnBuilder<Value, S>;

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
export type EncryptedMySqlTable<T extends TableConfig> = MySqlTable<T> & Accessible<T['columns']>;

type Columns = Record<string, MySqlColumnBuilderBase>;
type ExtraConfig<Name extends string, C extends Columns> = (
  self: BuildColumns<Name, C, 'mysql'>,
) => MySqlTableExtraConfigValue[];
type Created<
  Name extends string,
  Schema extends string | undefined,
  C extends Columns,
> = EncryptedMySqlTable<{
  name: Name;
  schema: Schema;
  columns: BuildColumns<Name, C, 'mysql'>;
  dialect: 'mysql';
}>;

/**
 * Creates a table like `mysqlTable`, and adds an index column for each searchable column. Throws EncryptedColumnError
 * for an invalid definition.
 */
export function encryptedTable<Name extends string, C extends Columns>(
  name: Name,
  columns: C,
  options?: ExtraConfig<Name, C> | TableOptions<keyof C & string, ExtraConfig<Name, C>>,
): Created<Name, undefined, C> {
  const { subject, extraConfig } = optionsOf<ExtraConfig<Name, C>>(options);
  const table = mysqlTable(
    name,
    withIndexes(name, columns),
    indexing((): Table => table, extraConfig, check),
  );
  return setSubject(table, subject) as Created<Name, undefined, C>;
}

type Selectable = SelectedFields[string] | EncryptedColumn<unknown>;
type SelectableFields = Readonly<Record<string, Selectable | Readonly<Record<string, Selectable>>>>;

type PreparedOf<Database> = Database extends {
  select(): MySqlSelectBuilder<SelectedFields | undefined, infer Prepared>;
}
  ? Prepared
  : never;

interface Select<Database, Substitute> {
  (): MySqlSelectBuilder<undefined, PreparedOf<Database>>;
  <Fields extends SelectableFields>(
    fields: Fields,
  ): OpenedFields<Fields, Substitute> extends infer Opened extends SelectedFields
    ? MySqlSelectBuilder<Opened, PreparedOf<Database>>
    : never;
}

/** A Drizzle database whose statements encrypt and decrypt the values of encrypted columns. */
export type EncryptedMySqlDatabase<Database extends object, Substitute = never> = Omit<
  Database,
  'select' | 'transaction'
> & {
  /** Selects all columns of a table, or the given columns. */
  readonly select: Select<Database, Substitute>;
  /** Runs statements in one transaction. The database that `run` receives also encrypts and decrypts. */
  transaction<Result>(
    run: (transaction: EncryptedMySqlDatabase<TransactionOf<Database>, Substitute>) => Promise<Result>,
    config?: object,
  ): Promise<Result>;
  /**
   * Returns the database on behalf of a user, an opaque id: `db.as('7').select()…`. The audit log then says that this
   * user opened the data of the persons in the rows.
   */
  as(user: string): EncryptedMySqlDatabase<Database, Substitute>;
  /**
   * Returns the database with another answer to a value that cannot be decrypted: `db.onError('null').select()…`. The
   * types say so for columns that `select({ … })` names.
   */
  onError<Handler extends OnError = Throwing>(
    handler: Handler,
  ): EncryptedMySqlDatabase<Database, SubstituteOf<Handler>>;
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
): EncryptedMySqlDatabase<Database> {
  const dialect = { dialect: 'mysql', method: 'execute' } as const;
  return encryptedDatabase(database, client, options, dialect) as EncryptedMySqlDatabase<Database>;
}
