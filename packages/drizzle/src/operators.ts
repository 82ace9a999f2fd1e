import * as drizzle from 'drizzle-orm';
import { type BinaryOperator, Column, is, sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import type {
  DataOf,
  EncryptedColumn,
  PartsOf,
  PartsQuery,
  SearchableColumn,
  Searched,
  SearchedBy,
} from './types.ts';

/** The type of operators such as `eq`, which compare two values. An encrypted column must be searchable. */
export type Equality = BinaryOperator &
  (<C>(
    left: EncryptedColumn<C> & Searched<C>,
    right: NoInfer<DataOf<C>> | SearchableColumn<NoInfer<DataOf<C>>>,
  ) => SQL);

type DrizzleInArray = typeof drizzle.inArray;
type DrizzleNotInArray = typeof drizzle.notInArray;

/**
 * The type of operators such as `inArray`, which look for a value in a list. An encrypted column must be searchable.
 */
export type Membership<Of> = Of &
  (<C>(column: EncryptedColumn<C> & Searched<C>, values: readonly NoInfer<DataOf<C>>[]) => SQL);

/** The type of operators such as `isNull`, which check whether a column has a value. */
export type Presence = (value: SQLWrapper | EncryptedColumn<unknown>) => SQL;

export const eq = drizzle.eq as Equality;
export const ne = drizzle.ne as Equality;
export const inArray = drizzle.inArray as Membership<DrizzleInArray>;
export const notInArray = drizzle.notInArray as Membership<DrizzleNotInArray>;
export const isNull = drizzle.isNull as Presence;
export const isNotNull = drizzle.isNotNull as Presence;

/**
 * Returns a condition on the indexes of `searchableBy`: `matches(patients.ssn, { last4: '6789' })`. The query can also
 * return rows that do not match, so filter the decrypted rows. The condition works only in reads, and not inside `not`.
 */
export function matches<C>(
  column: EncryptedColumn<C> & SearchedBy<C>,
  query: PartsQuery<NoInfer<PartsOf<C>>>,
): SQL {
  // Drizzle passes the parameter to the encrypted column, which throws for plaintext.
  const encoder = column as unknown as Column;
  return drizzle.sql`${encoder} matches ${new drizzle.Param(query, encoder)}`;
}

/**
 * Returns an encrypted column with the type of a Drizzle column. Use it in `returning({ … })` and `count(…)`, whose
 * types do not accept encrypted columns.
 */
export function columnOf<C>(column: EncryptedColumn<C>): C {
  return column as unknown as C;
}

const origins = new WeakMap<SQL, Column>();

/** Returns SQL for the new value of a column if an insert conflicts. Use this SQL in `set` of `onConflictDoUpdate`. */
export function excluded(column: EncryptedColumn<unknown> | Column): SQL {
  if (!is(column, Column))
    throw new TypeError('the argument of `excluded` must be a column of a Drizzle table');
  const value = sql`excluded.${sql.identifier(column.name)}`;
  origins.set(value, column);
  return value;
}

export function excludedColumn(value: unknown): Column | undefined {
  return typeof value === 'object' && value !== null ? origins.get(value as SQL) : undefined;
}
