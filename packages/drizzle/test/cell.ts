import type { PgColumn } from 'drizzle-orm/pg-core';
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
  readonly dialects: readonly string[] | undefined;
  readonly run: (place: Place) => Promise<unknown>;
}

/** The shapes of an operation, and the dialects that have it. */
export type Shapes = readonly [
  operation: string,
  shapes: Readonly<Record<string, Cell['run']>>,
  dialects?: readonly string[],
];

export const cellsOf = ([operation, shapes, dialects]: Shapes): Cell[] =>
  Object.entries(shapes).map(([shape, run]) => ({ operation, shape, run, dialects }));

export async function expectValues(
  { db, samples, kind }: Place,
  expected: readonly unknown[],
): Promise<void> {
  const rows = await db.select().from(samples);
  const found = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((row) => row[kind]);
  expect(found).toEqual(expected);
}

export const columnIn = ({ samples, kind }: Place): PgColumn => samples[kind];
