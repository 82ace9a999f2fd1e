// What TypeScript knows of encrypted columns, and of the database that opens them. A column is one of Drizzle's own, whose
// data is the decrypted value.
import type {
  $Type,
  AnyColumn,
  BuildColumns,
  BuildExtraConfigColumns,
  ColumnBuilderBase,
  ColumnBuilderBaseConfig,
  HasDefault,
  HasRuntimeDefault,
  NotNull,
  SQL,
  Table,
} from 'drizzle-orm';
import type * as mysql from 'drizzle-orm/mysql-core';
import type * as pg from 'drizzle-orm/pg-core';
import type * as sqlite from 'drizzle-orm/sqlite-core';
import type { Concealed, EncryptionOptions, Field, FieldsClient, OnError, PartIndex } from '@eaas/sdk/fields';
import type { Bound, clientOf, WithFieldsQuery, InputOf, ReadOf } from '@eaas/sdk/internal';
import type { TableOptions } from './table.ts';
import type { Source } from './table-source.ts';

type Dialect = 'pg' | 'mysql' | 'sqlite';

/**
 * Makes the column of a field, with the name of its key in the table or with a name of its own. Drizzle knows one type of a
 * column, so what a schema returns is also the type of what the app writes, which at run time is what the schema accepts.
 */
export interface Encrypt<D extends Dialect> {
  <F extends Field<unknown>>(field: F): EncryptedBuilder<F, D>;
  <F extends Field<unknown>>(name: string, field: F): EncryptedBuilder<F, D>;
}

type ColumnData<Value> = ColumnBuilderBaseConfig<'custom', 'EncryptedColumn'> & { data: Value };

/** What the type of a column says of its field. */
interface FieldConfig<F, D> {
  dialect: D;
  parts: F extends Field<unknown, Bound, string | boolean, infer Parts> ? Parts : never;
}

/** The builder of an encrypted column: Drizzle's, without what the database would compute from plaintext. */
export interface EncryptedBuilder<F, D extends Dialect> extends ColumnBuilderBase<
  ColumnData<ReadOf<F>>,
  FieldConfig<F, D>
> {
  /** Adds `not null`. */
  notNull(): NotNull<this>;
  /** Adds a unique constraint to the index column, so that no value occurs twice. The field must be `searchable()`. */
  unique(name?: string): this;
  /** Computes the value of a new row that comes without one. */
  $defaultFn(create: () => InputOf<F>): HasRuntimeDefault<HasDefault<this>>;
  /** The same as `$defaultFn`. */
  readonly $default: this['$defaultFn'];
  /** Computes the value of each row that is updated, and of a new row without a value or `$defaultFn`. */
  $onUpdateFn(create: () => InputOf<F>): HasDefault<this>;
  /** The same as `$onUpdateFn`. */
  readonly $onUpdate: this['$onUpdateFn'];
  /** Gives the values another type. */
  $type<Value>(): $Type<this, F extends { isConcealed: true } ? Concealed<Value> : Value>;
}

/** The indexes of `searchableBy` of a column. */
type PartsOf<C> = C extends { readonly _: { readonly parts: infer Parts } } ? Parts : never;

/**
 * The second argument of `matches`: an object that maps the name of an index of `searchableBy` to the value to search
 * for. For an index of `withFields`, this value is an object with a value for each column.
 */
export type PartsQuery<C> = [keyof PartsOf<C>] extends [never]
  ? { readonly 'the column has no parts: define them with `searchableBy`': never }
  : {
      readonly [Part in keyof PartsOf<C>]?: PartsOf<C>[Part] extends PartIndex<never, infer Query>
        ? Query extends WithFieldsQuery<string>
          ? Readonly<Record<string, unknown>>
          : Query
        : never;
    };

interface ColumnBuilders {
  pg: pg.PgColumnBuilderBase;
  mysql: mysql.MySqlColumnBuilderBase;
  sqlite: sqlite.SQLiteColumnBuilderBase;
}

/** No interface, because apps that emit declarations could not name it. */
type TableConfig<D extends Dialect, Name extends string, C extends Record<string, ColumnBuilderBase>> = {
  name: Name;
  schema: undefined;
  columns: BuildColumns<Name, C, D>;
  dialect: D;
};

/** A table of a dialect, and its columns for constraints and indexes. */
interface FieldsTables<Name extends string, C extends Record<string, ColumnBuilderBase>> {
  pg: [pg.PgTableWithColumns<TableConfig<'pg', Name, C>>, BuildExtraConfigColumns<Name, C, 'pg'>];
  mysql: [mysql.MySqlTableWithColumns<TableConfig<'mysql', Name, C>>, BuildColumns<Name, C, 'mysql'>];
  sqlite: [sqlite.SQLiteTableWithColumns<TableConfig<'sqlite', Name, C>>, BuildColumns<Name, C, 'sqlite'>];
}

/** Creates a table with encrypted columns. */
export type DefineTable<D extends Dialect> = <
  Name extends string,
  C extends Record<string, ColumnBuilders[D]>,
>(
  name: Name,
  columns: C,
  options?:
    | ExtraConfig<FieldsTables<Name, C>[D][1]>
    | TableOptions<keyof C & string, ExtraConfig<FieldsTables<Name, C>[D][1]>>,
) => FieldsTables<Name, C>[D][0];

type ExtraConfig<Self> = (self: Self) => object[];

type TransactionOf<Database> = Database extends {
  transaction(run: (transaction: infer Transaction extends object) => Promise<unknown>): unknown;
}
  ? Transaction
  : never;

/** The value of a handle. */
type ValueIn<Data> = Data extends Concealed<infer Value> ? Value : never;
/** A row, or a config with a row in `set`, in which a value can stand for a handle. */
type Plain<Row> = { [K in keyof Row]: K extends 'set' ? Plain<Row[K]> : Row[K] | ValueIn<Row[K]> };

/** A builder of Drizzle that also takes values for concealed columns, whose type is that of what is read. */
type Writing<B> = {
  [Name in keyof B]: Name extends 'values' | 'set' | 'onConflictDoUpdate' | 'onDuplicateKeyUpdate'
    ? B[Name] extends (given: infer Given) => infer Made
      ? (
          given: Given extends readonly (infer Row)[] ? Plain<Row> | Plain<Row>[] : Plain<Given>,
        ) => Writing<Made>
      : never
    : B[Name];
};

/** What `insert` and `update` of a database return for a table. */
type Builders<Both> = Both extends [pg.PgDatabase<infer Q, infer _F, infer _S>, infer T extends pg.PgTable]
  ? [pg.PgInsertBuilder<T, Q>, pg.PgUpdateBuilder<T, Q>]
  : Both extends [mysql.MySqlDatabase<infer Q, infer P, infer _F, infer _S>, infer T extends mysql.MySqlTable]
    ? [mysql.MySqlInsertBuilder<T, Q, P>, mysql.MySqlUpdateBuilder<T, Q, P>]
    : Both extends [
          sqlite.BaseSQLiteDatabase<infer K, infer R, infer _F, infer _S>,
          infer T extends sqlite.SQLiteTable,
        ]
      ? [sqlite.SQLiteInsertBuilder<T, K, R>, sqlite.SQLiteUpdateBuilder<T, K, R>]
      : never;

// The type of a column is that of what is read, which is a handle. A condition compares with the value.
declare module 'drizzle-orm/sql/expressions/conditions' {
  interface BinaryOperator {
    <C extends AnyColumn>(left: C, right: ValueIn<C['_']['data']>): SQL;
  }
  function inArray<C extends AnyColumn>(column: C, values: readonly ValueIn<C['_']['data']>[]): SQL;
  function notInArray<C extends AnyColumn>(column: C, values: readonly ValueIn<C['_']['data']>[]): SQL;
}

/**
 * A Drizzle database whose statements encrypt and decrypt the values of encrypted columns. `Database` comes last, so that
 * TypeScript tries its `transaction` last.
 */
export type EncryptedDatabase<Database extends object> = {
  /** Runs statements in one transaction. The database that `run` receives also encrypts and decrypts. */
  transaction<Result>(
    run: (transaction: EncryptedDatabase<TransactionOf<Database>>) => Promise<Result>,
    config?: object,
  ): Promise<Result>;
  /**
   * Returns the database on behalf of a user, an opaque id: `db.as('7').select()…`. The audit log then says that this
   * user opened the data of the persons in the rows.
   */
  as(user: string): EncryptedDatabase<Database>;
  /**
   * Returns the database with another answer to a value that cannot be decrypted: `db.onError('null').select()…`. The
   * types of rows do not change.
   */
  onError(handler: OnError): EncryptedDatabase<Database>;
  /**
   * Returns the database that reads concealed columns as values, and not as handles. The types of rows do not change: they come
   * from the tables.
   */
  revealed(): EncryptedDatabase<Database>;
  /** As Drizzle's. Also takes plain values for concealed columns. */
  insert<T extends Table>(table: T): Writing<Builders<[Database, T]>[0]>;
  /** As Drizzle's. Also takes plain values for concealed columns, and leaves alone those of its own row that are still concealed. */
  update<T extends Table>(table: T): Writing<Builders<[Database, T]>[1]>;
  /** How `reveal` finds out who asks. */
  [clientOf](): FieldsClient;
  /** What `@eaas/migrate` knows of a table. */
  $encryptedTable(table: Table): Source;
} & Database;

/** Makes the encrypted database. */
export type WithEncryption = <Database extends object>(
  database: Database,
  client: FieldsClient,
  options?: EncryptionOptions,
) => EncryptedDatabase<Database>;
