import type { PgColumn } from 'drizzle-orm/pg-core';
import { columnOf, type SearchableColumn } from '@eaas/drizzle/pg';
import { expect } from 'vitest';
import type { Place } from './place.ts';

/**
 * The ids in the test tables. Each operation starts with two rows: `one` has the first value of each kind of column,
 * and `two` has the second value.
 */
export const ids = {
  one: '00000000-0000-4000-8000-000000000001',
  two: '00000000-0000-4000-8000-000000000002',
  new: '00000000-0000-4000-8000-000000000003',
};

/**
 * A test of one operation on one kind of column. The test checks the operation's result, or throws the documented
 * error.
 */
export interface Cell {
  readonly operation: string;
  readonly shape: string;
  /** The SQL dialects that support the operation. Defaults to all dialects. */
  readonly dialects?: readonly string[];
  readonly run: (place: Place) => Promise<unknown>;
}

/** Checks the decrypted values of a column in all rows, in the order of the ids. */
export async function expectValues(
  { db, samples, kind }: Place,
  expected: readonly unknown[],
): Promise<void> {
  const rows = await db.select().from(samples);
  const found = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((row) => row[kind]);
  expect(found).toEqual(expected);
}

/** Returns the column with the type of a searchable column, to test columns that are not searchable. */
export const searchable = ({ samples, kind }: Place): SearchableColumn<unknown> =>
  samples[kind] as SearchableColumn<unknown>;

/** Returns the column without its TypeScript types, as a JavaScript program sees the column. */
export function columnIn({ samples, kind }: Place): PgColumn {
  return columnOf<PgColumn>(samples[kind]);
}
