import { eq, getTableColumns, inArray, sql } from 'drizzle-orm';
import { excluded } from '@eaas/drizzle/pg';
import { expect } from 'vitest';
import { columnIn, expectValues, ids, type Shapes } from './cell.ts';

const returning = ['PostgreSQL', 'SQLite'];

export const writes: readonly Shapes[] = [
  [
    'insert',
    {
      'one row': async (place) => {
        await place.db.insert(place.samples).values({ id: ids.new, ...place.other });
        await expectValues(place, [place.first, place.second, place.third]);
      },
      'several rows, id by `$defaultFn`': async (place) => {
        await place.db.insert(place.samples).values([place.other, { city: 'Oslo' }]);
        const rows = await place.db.select().from(place.samples);
        expect(rows.map((row) => row[place.kind])).toEqual(
          expect.arrayContaining([place.first, place.second, place.third, null]),
        );
      },
      // Drizzle 1.0 has a second argument, the columns. A search must find what was written with it.
      'of named columns': async (place) => {
        const { db, samples, kind } = place;
        const insert = db.insert.bind(db) as (
          ...given: unknown[]
        ) => ReturnType<typeof db.insert<typeof samples>>;
        await insert(samples, 'id', kind).values({ id: ids.new, ...place.other });
        await expectValues(place, [place.first, place.second, place.third]);
        if (!(`${kind}_index` in getTableColumns(samples))) return;
        const found = await db
          .select({ id: samples.id })
          .from(samples)
          .where(eq(columnIn(place), place.third));
        expect(found.map(({ id }) => id)).toContain(ids.new);
      },
      null: async (place) => {
        await place.db.insert(place.samples).values({ id: ids.new, [place.kind]: null });
        await expectValues(place, [place.first, place.second, null]);
      },
    },
  ],
  [
    'insert',
    {
      '`returning` all': async (place) => {
        const [row] = await place.db
          .insert(place.samples)
          .values({ id: ids.new, ...place.other })
          .returning();
        expect(row?.[place.kind]).toEqual(place.third);
        return row;
      },
      '`returning` one column': async (place) => {
        const insert = place.db.insert(place.samples).values({ id: ids.new, ...place.other });
        const rows = await insert.returning({ value: columnIn(place) });
        expect(rows).toEqual([{ value: place.third }]);
        return rows;
      },
    },
    returning,
  ],
  [
    'insert',
    {
      'SQL as a value': async (place) =>
        place.db.insert(place.samples).values({ id: ids.new, [place.kind]: sql`'PLAIN'` }),
      'SQL as the id': async (place) =>
        place.db.insert(place.samples).values({ id: sql`'${sql.raw(ids.new)}'`, ...place.other }),
      'a ciphertext as the value': async (place) =>
        place.db.insert(place.samples).values({ id: ids.new, [place.kind]: await place.ciphertext() }),
    },
  ],
  [
    'insert',
    {
      '`onConflictDoUpdate` of the id': async (place) => {
        await place.db
          .insert(place.samples)
          .values([{ id: ids.one, ...place.other }])
          .onConflictDoUpdate({
            target: place.samples.id,
            set: { [place.kind]: excluded(place.samples[place.kind]) },
          });
        await expectValues(place, [place.third, place.second]);
      },
      '`onConflictDoUpdate` of the id, with a value': async (place) => {
        await place.db
          .insert(place.samples)
          .values({ id: ids.one })
          .onConflictDoUpdate({ target: place.samples.id, set: place.other });
        await expectValues(place, [place.third, place.second]);
      },
      '`onConflictDoUpdate` of a unique column': async (place) => {
        await place.db
          .insert(place.samples)
          .values({ id: ids.new, code: 'PLAIN-1' })
          .onConflictDoUpdate({ target: place.samples.code, set: place.other });
        await expectValues(place, [place.third, place.second]);
      },
      '`onConflictDoNothing` of a unique column': async (place) => {
        await place.db
          .insert(place.samples)
          .values({ id: ids.new, ...place.other, code: 'PLAIN-1' })
          .onConflictDoNothing({ target: place.samples.code });
        await expectValues(place, [place.first, place.second]);
      },
    },
    returning,
  ],
  [
    'insert',
    {
      '`onDuplicateKeyUpdate`': async (place) => {
        const insert = place.db.insert(place.samples).values({ id: ids.one });
        const { onDuplicateKeyUpdate } = insert as unknown as Record<string, (config: object) => unknown>;
        return onDuplicateKeyUpdate?.({ set: place.other });
      },
    },
    ['MySQL'],
  ],
  [
    'insert',
    {
      '`select`': async (place) =>
        place.db.insert(place.samples).select(place.db.select().from(place.samples) as never),
    },
  ],
  [
    'update',
    {
      'of the row with an id': async (place) => {
        await place.db.update(place.samples).set(place.other).where(eq(place.samples.id, ids.one));
        await expectValues(place, [place.third, place.second]);
      },
      'of the rows of a search': async (place) => {
        await place.db
          .update(place.samples)
          .set(place.other)
          .where(inArray(place.samples.city, ['London', 'Paris']));
        await expectValues(place, [place.third, place.third]);
      },
      'of the rows of an encrypted search': async (place) => {
        await place.db
          .update(place.samples)
          .set(place.other)
          .where(eq(columnIn(place), place.first));
        await expectValues(place, [place.third, place.second]);
      },
      'of no row': async (place) => {
        await place.db.update(place.samples).set(place.other).where(eq(place.samples.city, 'none'));
        await expectValues(place, [place.first, place.second]);
      },
      'to null': async (place) => {
        await place.db.update(place.samples).set({ [place.kind]: null });
        await expectValues(place, [null, null]);
      },
    },
  ],
  [
    'update',
    {
      '`returning` all': async (place) => {
        const rows = await place.db
          .update(place.samples)
          .set(place.other)
          .where(eq(place.samples.id, ids.one))
          .returning();
        expect(rows.map((row) => row[place.kind])).toEqual([place.third]);
        return rows;
      },
    },
    returning,
  ],
  [
    'update',
    {
      'SQL as the value': async (place) => place.db.update(place.samples).set({ [place.kind]: sql`'PLAIN'` }),
      'of a plain column, to an encrypted one': async (place) =>
        place.db.update(place.samples).set({ city: sql`${columnIn(place)}` }),
    },
  ],
  [
    'delete',
    {
      'the rows of an encrypted search': async (place) => {
        await place.db.delete(place.samples).where(eq(columnIn(place), place.first));
        await expectValues(place, [place.second]);
      },
    },
  ],
  [
    'delete',
    {
      '`returning` all': async (place) => {
        const rows = await place.db.delete(place.samples).where(eq(place.samples.id, ids.two)).returning();
        expect(rows.map((row) => row[place.kind])).toEqual([place.second]);
        return rows;
      },
    },
    returning,
  ],
];
