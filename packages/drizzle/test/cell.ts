import { eq, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { shown } from '@eaas/test-kit/orms/shown';
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
  readonly run: (place: Place) => PromiseLike<unknown>;
}

/** The shapes of an operation, and the dialects that have it. */
export type Shapes = readonly [
  operation: string,
  shapes: Readonly<Record<string, Cell['run']>>,
  dialects?: readonly string[],
];

export const cellsOf = ([operation, shapes, dialects]: Shapes): Cell[] =>
  Object.entries(shapes).map(([shape, run]) => ({ operation, shape, run, dialects }));

export const columnIn = ({ samples, kind }: Place): PgColumn => samples[kind];
export const isFirst = (place: Place): SQL => eq(columnIn(place), place.first);

/** The values of a place by letters: A and B are stored, C is another, and - is null. */
const lettered = ({ first, second, third }: Place, letters: string): unknown[] => {
  const values: Readonly<Record<string, unknown>> = { A: first, B: second, C: third, '-': null };
  return Array.from(letters, (letter) => values[letter]);
};

/** Runs a statement, after which the table has these values, in the order of the ids. */
export const leaves =
  (letters: string, run: Cell['run']): Cell['run'] =>
  async (place) => {
    const { db, samples, kind } = place;
    await run(place);
    const rows = await shown(db.select().from(samples));
    const found = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((row) => row[kind]);
    expect(found).toEqual(lettered(place, letters));
  };

/** Runs a statement whose rows have these values in a column, which is that of the kind unless it has another name. */
export const returns =
  (letters: string, run: Cell['run'], name?: string): Cell['run'] =>
  async (place) => {
    const rows = (await shown(run(place))) as Readonly<Record<string, unknown>>[];
    expect(rows.map((row) => row[name ?? place.kind])).toEqual(lettered(place, letters));
    return rows;
  };
