import type { PgColumn } from 'drizzle-orm/pg-core';
import { columnOf, type SearchableColumn } from '@eaas/drizzle/pg';
import { expect } from 'vitest';
import type { Place } from './place.ts';

/** Two rows exist when a cell starts: `one` with the first value of each kind, and `two` with the second value. */
export const ids = {
  one: '00000000-0000-4000-8000-000000000001',
  two: '00000000-0000-4000-8000-000000000002',
  new: '00000000-0000-4000-8000-000000000003',
};

/** One operation on one kind of column. It checks its result, or throws the error that the page names. */
export interface Cell {
  readonly operation: string;
  readonly shape: string;
  /** The dialects that have the operation. Defaults to all. */
  readonly dialects?: readonly string[];
  readonly run: (place: Place) => Promise<unknown>;
}

/** The values of the column in all rows, in the order of the ids. */
export async function expectValues(
  { db, samples, kind }: Place,
  expected: readonly unknown[],
): Promise<void> {
  const rows = await db.select().from(samples);
  const found = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((row) => row[kind]);
  expect(found).toEqual(expected);
}

/** The column as if it were searchable. */
export const searchable = ({ samples, kind }: Place): SearchableColumn<unknown> =>
  samples[kind] as SearchableColumn<unknown>;

/** The column as JavaScript sees it, without the types that refuse it. */
export function columnIn({ samples, kind }: Place): PgColumn {
  return columnOf<PgColumn>(samples[kind]);
}
