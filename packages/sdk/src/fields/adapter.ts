// What the adapters of database libraries, such as `@eaas/drizzle` and `@eaas/prisma`, and the core under them tell each other:
// options, tables, rows, searches and statements. `coreOf` in core.ts makes the core.
import type { FieldsDefinition } from './define-fields.ts';
import type { OnError } from './field-error.ts';
import type { IndexSource } from './fingerprints.ts';
import type { FieldsClient, Row } from './internals.ts';
import type { KeyIds, TablePlan } from './plan.ts';
import type { ColumnPlace } from './recognize-ciphertext.ts';
import type { Records } from './records.ts';
import type { FieldsTables, RecordId } from './row-types.ts';

/** Options of an encrypted database. */
export interface EncryptionOptions<Table extends string = string> {
  /**
   * Who computes fingerprints: the client (a token from `createIndexKey`), the half of the client (`half`), or the service
   * (`service`), which then sees the values. Required if a column is searchable.
   */
  readonly index?: IndexSource | readonly IndexSource[] | undefined;
  /**
   * The ids of the keys that encrypt a table (`users`) or a column (`users.email`). All other columns use the key of
   * the client.
   */
  readonly keyIds?: Readonly<Partial<Record<Table | `${Table}.${string}`, KeyIds[string]>>> | undefined;
  /**
   * What a stored value that cannot be decrypted becomes, in all tables or by table (`{ users: 'null' }`). With `throw`,
   * the query fails. With `null`, the column is null. What a function returns stands for the value; it gets the error, and the
   * row as the query returns it, with ciphertexts and handles. By default, only the values of erased people are null, and others fail the
   * query. Single queries can decide otherwise.
   */
  readonly onError?: OnError | Readonly<Partial<Record<Table, OnError | undefined>>> | undefined;
  /**
   * Returns the user on whose behalf a statement encrypts and decrypts, for example from an `AsyncLocalStorage`. Asked once for
   * each statement. The audit log then says who read whose data. `as` decides before it.
   */
  readonly user?: (() => string | undefined) | undefined;
}

/** What an encrypted database tells `@eaas/migrate` of a table. All names but `name` are those of the database. */
export interface TableSource<Database> {
  readonly database: Database;
  readonly fields: FieldsDefinition<FieldsTables>;
  /** The name of the table in the definition. */
  readonly name: string;
  readonly schema?: string | undefined;
  /** Defaults to the name in the definition. */
  readonly table?: string | undefined;
  /** The database names of columns whose name differs from the definition, as in `{ email: 'email_new' }`. */
  readonly columns?: Readonly<Record<string, string | undefined>> | undefined;
  readonly index?: EncryptionOptions['index'];
  readonly keyIds?: KeyIds | undefined;
  /** The column of the primary key. Undefined if it is known of no single one. */
  readonly id?: string | undefined;
}

/** For adapters: a table with its definition. */
export interface CoreTable {
  /** What errors call it. */
  readonly name: string;
  readonly plan: TablePlan;
  /** The columns that name the person of a row. */
  readonly person: readonly string[];
  /** What the core knows of it for `@eaas/migrate`. */
  readonly source: Pick<TableSource<unknown>, 'fields' | 'name' | 'index' | 'keyIds'>;
  readonly records: Records<FieldsTables>;
}

/** For adapters: a new row, or new values of a row. */
export interface Unsealed {
  readonly table: CoreTable;
  readonly values: Row;
  readonly id: RecordId | undefined;
  /** The columns that name the person whose data the row is. */
  readonly person?: Row | undefined;
  /** Takes the ciphertexts and fingerprints. */
  readonly put: (stored: Row) => void;
}

/** For adapters: a row of a result. */
export interface Sealed {
  readonly table: CoreTable;
  /** What is stored of it, by the names of the definition: also its person, and what is not encrypted. */
  readonly stored: Row;
  readonly id: RecordId | undefined;
  /** What the function `onError` gets. */
  readonly shown: object;
  /** Takes the values. */
  readonly put: (opened: Row) => void;
}

/** For adapters: a list in a result, from which what a search found besides is dropped. */
interface SearchedList {
  readonly table: CoreTable;
  readonly items: unknown[];
  /** The parts of the search to repeat on values, by column: `nearMisses` returns them. */
  readonly near: Row;
  /** Says which stored row an item is. */
  readonly rowOf: (item: never) => Sealed | undefined;
}

/** For adapters: a search for one of several values, or for all of several parts of a value, by the names of indexes. */
export interface Asked {
  readonly table: CoreTable;
  readonly column: string;
  readonly oneOf?: readonly unknown[];
  readonly parts?: Row;
  /** Whether the statement only reads, so that it may find too many rows. */
  readonly isRead: boolean;
  /** Whether `not` is around the search. */
  readonly isNegated: boolean;
  /** Whether `open` drops the near misses of the search, or else where it would. */
  readonly dropped: true | string;
}

/** For adapters: an index column contains one of these fingerprints. A list holds several, separated by spaces. */
export interface Condition {
  readonly index: string;
  readonly oneOf: readonly string[];
  readonly isList: boolean;
  /** The texts that also find rows, in the column itself: values in the form of the version before. */
  readonly older: readonly string[];
  /**
   * While the version before can still change values, and not their fingerprints, these count for ciphertexts only: for texts
   * that match this pattern of `like`, with `%` after it.
   */
  readonly sealedLike?: string | undefined;
}

/** For adapters: what one statement asks of the core. */
export interface Statement {
  /**
   * Throws if the statement needs a user and has none: one that reads, writes or searches an encrypted column needs one, but not
   * to read handles. Call it before the first query for what the statement reads, and for `values` that it writes after it has
   * read something.
   */
  requireUser(table: CoreTable, values?: Row): void;
  /** Encrypts rows, with one call for each table. Throws for a row whose id or person is not known. */
  seal(rows: readonly Unsealed[]): Promise<void>;
  /** Checks a search at once. Returns a function that answers it with conditions, of which a row must meet all. */
  find(asked: Asked): () => Promise<readonly Condition[]>;
  /** Whether concealed columns are read as values too. */
  readonly isRevealed: boolean;
  /** Opens rows, with one call for each table, and shortens the lists. Puts nothing before all are open. */
  open(rows: readonly Sealed[], lists: readonly SearchedList[]): Promise<void>;
}

/** For adapters: the core of an encrypted database. */
export interface Core {
  /** Throws if the options name a table that is none of these. */
  requireTables(names: readonly string[]): void;
  /** `shown` is what errors call the table, and `unique` are the columns whose values must differ. */
  table(given: FieldsDefinition<FieldsTables>, name: string, shown?: string, unique?: unknown[]): CoreTable;
  /** Begins a statement. It asks once who the user is. */
  begin(): Statement;
  /** Returns the core for a user. */
  as(user: string): Core;
  /** Returns the core with another `onError`. `place` is where it stands. */
  onError(handler: OnError, place?: ColumnPlace): Core;
  /** Returns the core that reads concealed columns as values. */
  revealed(): Core;
  /** The client, for the user if there is one. */
  client(): FieldsClient;
}
