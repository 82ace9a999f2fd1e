import type { PgColumn } from 'drizzle-orm/pg-core';
import { columnOf, type SearchableColumn } from '@eaas/drizzle/pg';
import { expect } from 'vitest';
import type { Place } from './place.ts';

export const ids = {
  one: '00000000-0000-4000-8000-000000000001',
  two: '00000000-0000-4000-8000-000000000002',
  new: '00000000-0000-4000-8000-000000000003',
};

export interface Cell {
  readonly operation: string;
  readonly shape: string;
  readonly dialects?: readonly string[];
  readonly run: (place: Place) => Promise<unknown>;
}

export async function expectValues(
  { db, samples, kind }: Place,
  expected: readonly unknown[],
): Promise<void> {
  const rows = await db.select().from(samples);
  const found = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((row) => row[kind]);
  expect(found).toEqual(expected);
}

export const searchable = ({ samples, kind }: Place): SearchableColumn<unknown> =>
  samples[kind] as SearchableColumn<unknown>;

export function columnIn({ samples, kind }: Place): PgColumn {
  return columnOf<PgColumn>(samples[kind]);
}
