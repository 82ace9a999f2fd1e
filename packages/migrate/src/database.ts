// Runs the statements of a migration through the driver that the app has. Errors say no value and no text of the driver.
import { EaasError, fromUtf8, InputError } from '@eaas/protocol';
import { having, nearestOf, requireKind } from '@eaas/protocol/internal';
import {
  type ColumnType,
  type Dialect,
  dialects,
  nameIn,
  type SqlDialect,
  type Statement,
  type TableName,
} from './dialects.ts';

/**
 * A database, in the form that most drivers have: a pool of `pg` or `mysql2/promise` fits as it is. `query` may return
 * the rows, `{ rows }`, or `[rows, fields]`, or a promise of one of these.
 */
export interface SqlDatabase {
  /** The kind of the database. Defaults to `postgresql`. */
  readonly dialect?: SqlDialect | undefined;
  /** Runs a statement. Its parameters are `$1`, `$2` … in PostgreSQL, and otherwise `?`. */
  query(statement: string, parameters: string[]): unknown;
}

/** The database of a query builder, which takes a statement apart at its parameters. */
export interface MarkedDatabase extends SqlDatabase {
  /** What stands for each parameter. */
  readonly mark?: string | undefined;
}

/**
 * Thrown if the database refuses a statement. Contains no value and no text of the driver, which might quote values.
 *
 * @example
 * ```ts
 * import { DatabaseError, inventory } from '@eaas/migrate';
 *
 * const database = { query: () => Promise.reject(Object.assign(new Error(), { code: '42501' })) };
 * const error = await inventory(database, 'members', { fields }).catch((error: unknown) => error);
 * if (error instanceof DatabaseError) console.log(error.databaseCode); // 42501
 * ```
 */
export class DatabaseError extends EaasError {
  override readonly name = 'DatabaseError';
  readonly code = 'database';
  /** The code of the driver, such as `42501` or `ER_DUP_ENTRY`. */
  readonly databaseCode: string | undefined;
  /** Whether the statement violated a constraint, such as a unique index, or a value did not fit into its column. */
  readonly isConstraint: boolean;
  override readonly retryable: boolean;

  constructor(action: string, cause: unknown) {
    const databaseCode = codeOf(cause);
    const reason = databaseCode === undefined ? 'no code' : `code ${databaseCode}`;
    super(
      `the database did not ${action} (${reason}): look the code up in its manual or its log, and call again`,
    );
    this.databaseCode = databaseCode;
    this.isConstraint = /^2[23]|^SQLITE_CONSTRAINT|DUP_ENTRY|CONSTRAINT|^ER_BAD_NULL|TOO_LONG|TRUNCATED/.test(
      databaseCode ?? '',
    );
    this.retryable = /^40|^55P03|LOCK_(?:DEADLOCK|WAIT)|^SQLITE_BUSY/.test(databaseCode ?? '');
  }
}

/** Looks for a code in the error of a driver, and in the errors that a query builder wraps around it. */
function codeOf(error: unknown, depth = 0): string | undefined {
  if (typeof error !== 'object' || error === null || depth > 4) return undefined;
  const { code, cause, meta, originalCode, driverAdapterError } = error as Record<string, unknown>;
  const inner = [cause, meta, driverAdapterError].map((one) => codeOf(one, depth + 1));
  const found = inner.find((one) => one !== undefined) ?? originalCode ?? code;
  return (typeof found === 'string' || typeof found === 'number') && /^\w{1,40}$/.test(String(found))
    ? String(found)
    : undefined;
}

export type Stored = Readonly<Record<string, unknown>>;

export type Run = (action: string, pieces: Statement) => Promise<readonly Stored[]>;

const databaseRule = having('a database with `query`, such as a pool of pg', 'query');

/** Returns a function that runs statements. Throws InputError if the first argument of `call` is no database. */
export function runnerOf(database: MarkedDatabase, call: string): { dialect: Dialect; run: Run } {
  requireKind(databaseRule, database, `the first argument of \`${call}\``);
  const { dialect: name = 'postgresql', mark } = database;
  const dialect = dialects[name];
  if (!dialect) throw new InputError("`dialect` must be 'postgresql', 'mysql' or 'sqlite'");
  return {
    dialect,
    async run(action, pieces) {
      const values: string[] = [];
      const texts = pieces.map((piece) => {
        if (typeof piece === 'string') return piece;
        values.push(piece.value);
        return mark ?? (name === 'postgresql' ? `$${values.length}` : '?');
      });
      try {
        return rowsIn(await database.query(texts.join(''), values));
      } catch (error) {
        // An adapter of a query builder can refuse by itself, with an error that contains no value.
        throw error instanceof EaasError ? error : new DatabaseError(action, error);
      }
    },
  };
}

function rowsIn(result: unknown): readonly Stored[] {
  const found: unknown = Array.isArray(result) ? result : Object(result).rows;
  if (!Array.isArray(found)) {
    throw new InputError('`query` must return the rows, `{ rows }`, or `[rows, fields]`');
  }
  return (Array.isArray(found[0]) ? found[0] : found) as Stored[];
}

/** An id as JSON can hold it. A bigint is its decimal text, which is the same id for a ciphertext. */
export function idIn(row: Stored, table: string): string | number {
  const { id } = row;
  if (typeof id === 'bigint') return String(id);
  if (typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id))) return id;
  throw new InputError(
    `the ids of \`${table}\` must be texts or safe integers (got another type or number): name another unique column as \`id\``,
  );
}

/** `place` names the column in the error, if it has another name in the statement. */
export function textIn(row: Stored, column: string, place = column): string | null {
  const value = row[column];
  if (value === null || value === undefined || typeof value === 'string') return value ?? null;
  if (value instanceof Uint8Array) return fromUtf8(value);
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    return String(value);
  }
  throw new InputError(
    `\`query\` must return \`${place}\` as a text (got another type): turn off what parses it in the driver`,
  );
}

/** Returns the columns of a table by name. Throws InputError if the table does not exist. */
export async function columnsOf(
  run: Run,
  dialect: Dialect,
  table: TableName,
): Promise<Map<string, ColumnType>> {
  const rows = await run(`describe the table ${nameIn(dialect, table)}`, dialect.columns(table));
  if (rows.length === 0) {
    throw new InputError(
      `the database has no table ${nameIn(dialect, table)}: pass its name as \`table\`, and its schema as \`schema\``,
    );
  }
  const columns = rows.map((row): [string, ColumnType] => {
    const of = (key: string) => textIn(row, key) ?? undefined;
    const name = of('name') ?? '';
    const type = of('type') ?? '';
    const isUnique = of('is_unique') === 'true';
    const isInUnique = of('in_unique') === 'true';
    return [name, { name, type, isUnique, isInUnique, charset: of('charset'), collation: of('collation') }];
  });
  return new Map(columns);
}

/** Throws InputError for a column that a table does not have. `role` says what it would be, and how to name it. */
export function requireColumn(
  known: ReadonlyMap<string, ColumnType>,
  name: string,
  table: string,
  role = '',
): ColumnType {
  const column = known.get(name);
  if (column) return column;
  const near = nearestOf(known.keys(), name);
  const guess = near === undefined ? '' : `; did you mean \`${near}\`?`;
  throw new InputError(`the table ${table} has no column \`${name}\`${role}${guess}`);
}
