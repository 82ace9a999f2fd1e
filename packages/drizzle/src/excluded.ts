import { Column, is, type SQL, sql } from 'drizzle-orm';
import type { EncryptedColumn } from './types.ts';

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
