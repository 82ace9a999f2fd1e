// The entry for PostgreSQL: Drizzle's types of PostgreSQL around what all dialects share.
import type { BuildColumns, BuildExtraConfigColumns, Table } from 'drizzle-orm';
import {
  check,
  PgColumn,
  PgColumnBuilder,
  type PgColumnBuilderBase,
  type PgSchema,
  type PgSelectBuilder,
  type PgTable,
  pgTable,
  type PgTableExtraConfigValue,
  type SelectedFields,
  type TableConfig,
} from 'drizzle-orm/pg-core';
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
  name: 'Pg',
  Builder: PgColumnBuilder,
  Column: PgColumn,
  sqlType: () => 'text',
});

/** Column builder of an encrypted column. */
export interface EncryptedPgColumnBuilder<Value, S extends Search>
  extends
    EncryptedBuilder<Value, S>,
    PgColumnBuilder<ColumnData<Value, 'EncryptedPgColumn'>, EaasConfig, { encrypted: true }> {
  /** Adds a unique constraint to the index column, so that no value occurs twice. Requires `searchable`. */
  unique(name?: string): this;
  default: EncryptedBuilder<Value, S>['default'];
  generatedAlwaysAs: EncryptedBuilder<Value, S>['generatedAlwaysAs'];
  primaryKey: EncryptedBuilder<Value, S>['primaryKey'];
  references: EncryptedBuilder<Value, S>['references'];
  /** Throws EncryptedColumnError, because an encrypted column cannot be an array. Use `encryptedJson` for lists. */
  array(): never;
}

type Builder<Value, S extends Search> = EncryptedPgColumnBuilder<Value, S>;

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
export type EncryptedPgTable<T extends TableConfig> = PgTable<T> & Accessible<T['columns']>;

type Columns = Record<string, PgColumnBuilderBase>;
type ExtraConfig<Name extends string, C extends Columns> = (
  self: BuildExtraConfigColumns<Name, C, 'pg'>,
) => PgTableExtraConfigValue[];
type Created<Name extends string, Schema extends string | undefined, C extends Columns> = EncryptedPgTable<{
  name: Name;
  schema: Schema;
  columns: BuildColumns<Name, C, 'pg'>;
  dialect: 'pg';
}>;

/**
 * Creates a table like `pgTable`, and adds an index column for each searchable column. Throws EncryptedColumnError for
 * an invalid definition.
 */
export function encryptedTable<Name extends string, C extends Columns>(
  name: Name,
  columns: C,
  options?: ExtraConfig<Name, C> | TableOptions<keyof C & string, ExtraConfig<Name, C>>,
): Created<Name, undefined, C> {
  const { subject, extraConfig } = optionsOf<ExtraConfig<Name, C>>(options);
  const table = pgTable(
    name,
    withIndexes(name, columns),
    indexing((): Table => table, extraConfig, check),
  );
  return setSubject(table, subject) as Created<Name, undefined, C>;
}

/**
 * Creates a table with encrypted columns in a schema, like `schema.table`. Throws EncryptedColumnError for an invalid
 * definition.
 */
export function encryptedTableIn<Schema extends string, Name extends string, C extends Columns>(
  schema: PgSchema<Schema>,
  name: Name,
  columns: C,
  options?: ExtraConfig<Name, C> | TableOptions<keyof C & string, ExtraConfig<Name, C>>,
): Created<Name, Schema, C> {
  const { subject, extraConfig } = optionsOf<ExtraConfig<Name, C>>(options);
  const table = schema.table(
    name,
    withIndexes(name, columns),
    indexing((): Table => table, extraConfig, check),
  );
  return setSubject(table, subject) as Created<Name, Schema, C>;
}

type Selectable = SelectedFields[string] | EncryptedColumn<unknown>;
type SelectableFields = Readonly<Record<string, Selectable | Readonly<Record<string, Selectable>>>>;

interface Select<Substitute> {
  (): PgSelectBuilder<undefined>;
  <Fields extends SelectableFields>(
    fields: Fields,
  ): OpenedFields<Fields, Substitute> extends infer Opened extends SelectedFields
    ? PgSelectBuilder<Opened>
    : never;
}

/** A Drizzle database whose statements encrypt and decrypt the values of encrypted columns. */
export type EncryptedPgDatabase<Database extends object, Substitute = never> = Omit<
  Database,
  'select' | 'transaction'
> & {
  /** Selects all columns of a table, or the given columns. */
  readonly select: Select<Substitute>;
  /** Runs statements in one transaction. The database that `run` receives also encrypts and decrypts. */
  transaction<Result>(
    run: (transaction: EncryptedPgDatabase<TransactionOf<Database>, Substitute>) => Promise<Result>,
    config?: object,
  ): Promise<Result>;
  /**
   * Returns the database on behalf of a user, an opaque id: `db.as('7').select()…`. The audit log then says that this
   * user opened the data of the persons in the rows.
   */
  as(user: string): EncryptedPgDatabase<Database, Substitute>;
  /**
   * Returns the database with another answer to a value that cannot be decrypted: `db.onError('null').select()…`. The
   * types say so for columns that `select({ … })` names.
   */
  onError<Handler extends OnError = Throwing>(
    handler: Handler,
  ): EncryptedPgDatabase<Database, SubstituteOf<Handler>>;
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
): EncryptedPgDatabase<Database> {
  const dialect = { dialect: 'postgresql', method: 'execute' } as const;
  return encryptedDatabase(database, client, options, dialect) as EncryptedPgDatabase<Database>;
}
