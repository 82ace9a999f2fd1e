import { eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import { excluded } from '@eaas/drizzle/pg';
import { shown } from '@eaas/test-kit/orms/shown';
import { expect } from 'vitest';
import { columnIn, ids, isFirst, leaves, returns, type Shapes } from './cell.ts';
import type { Place } from './place.ts';

const returning = ['PostgreSQL', 'SQLite'];

/** Inserts a row, which is a new one with another value unless it says otherwise. */
const insert = (place: Place, more: object = {}) => {
  const { db, samples, other } = place;
  return db.insert(samples).values({ id: ids.new, ...other, ...more });
};
const update = ({ db, samples, other }: Place) => db.update(samples).set(other);
const isOne = ({ samples }: Place) => eq(samples.id, ids.one);
const ofCities = ({ samples }: Place, ...cities: readonly string[]) => inArray(samples.city, cities);

export const writes: readonly Shapes[] = [
  [
    'insert',
    {
      'one row': leaves('ABC', (place) => insert(place)),
      'several rows, id by `$defaultFn`': async ({ db, samples, kind, ...place }) => {
        await db.insert(samples).values([place.other, { city: 'Oslo' }]);
        const found = (await shown(db.select().from(samples))).map((row) => row[kind]);
        expect(found).toEqual(expect.arrayContaining([place.first, place.second, place.third, null]));
      },
      // Drizzle 1.0 has a second argument, the columns. A search must find what was written with it.
      'of named columns': async (place) => {
        const { db, samples, kind, other, third } = place;
        const into = db.insert.bind(db) as (
          ...given: unknown[]
        ) => ReturnType<typeof db.insert<typeof samples>>;
        await leaves('ABC', () => into(samples, 'id', kind).values({ id: ids.new, ...other }))(place);
        if (!(`${kind}_index` in getTableColumns(samples))) return;
        const found = db
          .select({ id: samples.id })
          .from(samples)
          .where(eq(columnIn(place), third));
        expect((await found).map(({ id }) => id)).toContain(ids.new);
      },
      null: leaves('AB-', (place) => insert(place, { [place.kind]: null })),
    },
  ],
  [
    'insert',
    {
      '`returning` all': returns('C', (place) => insert(place).returning()),
      '`returning` one column': returns(
        'C',
        (place) => insert(place).returning({ value: columnIn(place) }),
        'value',
      ),
    },
    returning,
  ],
  [
    'insert',
    {
      'SQL as a value': (place) => insert(place, { [place.kind]: sql`'PLAIN'` }),
      'SQL as the id': (place) => insert(place, { id: sql`'${sql.raw(ids.new)}'` }),
      'a ciphertext as the value': async (place) => insert(place, { [place.kind]: await place.ciphertext() }),
    },
  ],
  [
    'insert',
    {
      '`onConflictDoUpdate` of the id': leaves('CB', (place) => {
        const { samples, kind } = place;
        const set = { [kind]: excluded(samples[kind]) };
        return insert(place, { id: ids.one }).onConflictDoUpdate({ target: samples.id, set });
      }),
      '`onConflictDoUpdate` of the id, with a value': leaves('CB', ({ db, samples, other }) => {
        const row = db.insert(samples).values({ id: ids.one });
        return row.onConflictDoUpdate({ target: samples.id, set: other });
      }),
      '`onConflictDoUpdate` of a unique column': leaves('CB', ({ db, samples, other }) => {
        const row = db.insert(samples).values({ id: ids.new, code: 'PLAIN-1' });
        return row.onConflictDoUpdate({ target: samples.code, set: other });
      }),
      '`onConflictDoNothing` of a unique column': leaves('AB', (place) =>
        insert(place, { code: 'PLAIN-1' }).onConflictDoNothing({ target: place.samples.code }),
      ),
    },
    returning,
  ],
  [
    'insert',
    {
      '`onDuplicateKeyUpdate`': async ({ db, samples, other }) => {
        const row = db.insert(samples).values({ id: ids.one });
        const { onDuplicateKeyUpdate } = row as unknown as Record<string, (config: object) => unknown>;
        return onDuplicateKeyUpdate?.({ set: other });
      },
    },
    ['MySQL'],
  ],
  [
    'insert',
    { '`select`': async ({ db, samples }) => db.insert(samples).select(db.select().from(samples) as never) },
  ],
  [
    'update',
    {
      'of the row with an id': leaves('CB', (place) => update(place).where(isOne(place))),
      'of the rows of a search': leaves('CC', (place) =>
        update(place).where(ofCities(place, 'London', 'Paris')),
      ),
      'of the rows of an encrypted search': leaves('CB', (place) => update(place).where(isFirst(place))),
      'of no row': leaves('AB', (place) => update(place).where(ofCities(place, 'none'))),
      'to null': leaves('--', ({ db, samples, kind }) => db.update(samples).set({ [kind]: null })),
    },
  ],
  [
    'update',
    { '`returning` all': returns('C', (place) => update(place).where(isOne(place)).returning()) },
    returning,
  ],
  [
    'update',
    {
      'SQL as the value': async ({ db, samples, kind }) => db.update(samples).set({ [kind]: sql`'PLAIN'` }),
      'of a plain column, to an encrypted one': async (place) =>
        place.db.update(place.samples).set({ city: sql`${columnIn(place)}` }),
    },
  ],
  [
    'delete',
    {
      'the rows of an encrypted search': leaves('B', (place) =>
        place.db.delete(place.samples).where(isFirst(place)),
      ),
    },
  ],
  [
    'delete',
    {
      '`returning` all': returns('B', ({ db, samples }) =>
        db.delete(samples).where(eq(samples.id, ids.two)).returning(),
      ),
    },
    returning,
  ],
];
