import { sql } from 'drizzle-orm';
import { columnOf, eq, excluded, inArray } from '@eaas/drizzle/pg';
import { expect } from 'vitest';
import { type Cell, columnIn, expectValues, ids, searchable } from './cell.ts';

const returning = ['PostgreSQL', 'SQLite'];

export const writes: readonly Cell[] = [
  {
    operation: 'insert',
    shape: 'one row',
    run: async (place) => {
      await place.db.insert(place.samples).values({ id: ids.new, ...place.other });
      await expectValues(place, [place.first, place.second, place.third]);
    },
  },
  {
    operation: 'insert',
    shape: 'several rows, id by `$defaultFn`',
    run: async (place) => {
      await place.db.insert(place.samples).values([place.other, { city: 'Oslo' }]);
      const rows = await place.db.select().from(place.samples);
      expect(rows.map((row) => row[place.kind])).toEqual(
        expect.arrayContaining([place.first, place.second, place.third, null]),
      );
    },
  },
  {
    operation: 'insert',
    shape: 'null',
    run: async (place) => {
      await place.db.insert(place.samples).values({ id: ids.new, [place.kind]: null });
      await expectValues(place, [place.first, place.second, null]);
    },
  },
  {
    operation: 'insert',
    shape: '`returning` all',
    dialects: returning,
    run: async (place) => {
      const [row] = await place.db
        .insert(place.samples)
        .values({ id: ids.new, ...place.other })
        .returning();
      expect(row?.[place.kind]).toEqual(place.third);
      return row;
    },
  },
  {
    operation: 'insert',
    shape: '`returning` one column',
    dialects: returning,
    run: async (place) => {
      const insert = place.db.insert(place.samples).values({ id: ids.new, ...place.other });
      const rows = await insert.returning({ value: columnIn(place) });
      expect(rows).toEqual([{ value: place.third }]);
      return rows;
    },
  },
  {
    operation: 'insert',
    shape: 'SQL as a value',
    run: async (place) => place.db.insert(place.samples).values({ id: ids.new, [place.kind]: sql`'PLAIN'` }),
  },
  {
    operation: 'insert',
    shape: 'an id of the database',
    run: async (place) =>
      place.db.insert(place.samples).values({ id: sql`'${sql.raw(ids.new)}'`, ...place.other }),
  },
  {
    operation: 'insert',
    shape: 'a ciphertext as the value',
    run: async (place) =>
      place.db.insert(place.samples).values({ id: ids.new, [place.kind]: await place.ciphertext() }),
  },
  {
    operation: 'insert',
    shape: '`onConflictDoUpdate` of the id',
    dialects: returning,
    run: async (place) => {
      await place.db
        .insert(place.samples)
        .values([{ id: ids.one, ...place.other }])
        .onConflictDoUpdate({
          target: place.samples.id,
          set: { [place.kind]: excluded(place.samples[place.kind]) },
        });
      await expectValues(place, [place.third, place.second]);
    },
  },
  {
    operation: 'insert',
    shape: '`onConflictDoUpdate` of the id, with a value',
    dialects: returning,
    run: async (place) => {
      await place.db
        .insert(place.samples)
        .values({ id: ids.one })
        .onConflictDoUpdate({ target: place.samples.id, set: place.other });
      await expectValues(place, [place.third, place.second]);
    },
  },
  {
    operation: 'insert',
    shape: '`onConflictDoUpdate` of a unique column',
    dialects: returning,
    run: async (place) =>
      place.db
        .insert(place.samples)
        .values({ id: ids.new, code: 'PLAIN-1' })
        .onConflictDoUpdate({ target: columnOf(place.samples.code), set: place.other }),
  },
  {
    operation: 'insert',
    shape: '`onConflictDoNothing` of a unique column',
    dialects: returning,
    run: async (place) => {
      await place.db
        .insert(place.samples)
        .values({ id: ids.new, ...place.other, code: 'PLAIN-1' })
        .onConflictDoNothing({ target: columnOf(place.samples.code) });
      await expectValues(place, [place.first, place.second]);
    },
  },
  {
    operation: 'insert',
    shape: '`onDuplicateKeyUpdate`',
    dialects: ['MySQL'],
    run: async (place) => {
      const insert = place.db.insert(place.samples).values({ id: ids.one });
      const { onDuplicateKeyUpdate } = insert as unknown as Record<string, (config: object) => unknown>;
      return onDuplicateKeyUpdate?.({ set: place.other });
    },
  },
  {
    operation: 'insert',
    shape: '`select`',
    run: async (place) =>
      place.db.insert(place.samples).select(place.db.select().from(place.samples) as never),
  },
  {
    operation: 'update',
    shape: 'of the row with an id',
    run: async (place) => {
      await place.db.update(place.samples).set(place.other).where(eq(place.samples.id, ids.one));
      await expectValues(place, [place.third, place.second]);
    },
  },
  {
    operation: 'update',
    shape: 'of the rows of a search',
    run: async (place) => {
      await place.db
        .update(place.samples)
        .set(place.other)
        .where(inArray(place.samples.city, ['London', 'Paris']));
      await expectValues(place, [place.third, place.third]);
    },
  },
  {
    operation: 'update',
    shape: 'of the rows of an encrypted search',
    run: async (place) => {
      await place.db
        .update(place.samples)
        .set(place.other)
        .where(eq(searchable(place), place.first));
      await expectValues(place, [place.third, place.second]);
    },
  },
  {
    operation: 'update',
    shape: 'of no row',
    run: async (place) => {
      await place.db.update(place.samples).set(place.other).where(eq(place.samples.city, 'none'));
      await expectValues(place, [place.first, place.second]);
    },
  },
  {
    operation: 'update',
    shape: 'to null',
    run: async (place) => {
      await place.db.update(place.samples).set({ [place.kind]: null });
      await expectValues(place, [null, null]);
    },
  },
  {
    operation: 'update',
    shape: '`returning` all',
    dialects: returning,
    run: async (place) => {
      const rows = await place.db
        .update(place.samples)
        .set(place.other)
        .where(eq(place.samples.id, ids.one))
        .returning();
      expect(rows.map((row) => row[place.kind])).toEqual([place.third]);
      return rows;
    },
  },
  {
    operation: 'update',
    shape: 'SQL as the value',
    run: async (place) => place.db.update(place.samples).set({ [place.kind]: sql`'PLAIN'` }),
  },
  {
    operation: 'update',
    shape: 'of a plain column, to an encrypted one',
    run: async (place) => place.db.update(place.samples).set({ city: sql`${columnIn(place)}` }),
  },
  {
    operation: 'delete',
    shape: 'the rows of an encrypted search',
    run: async (place) => {
      await place.db.delete(place.samples).where(eq(searchable(place), place.first));
      await expectValues(place, [place.second]);
    },
  },
  {
    operation: 'delete',
    shape: '`returning` all',
    dialects: returning,
    run: async (place) => {
      const rows = await place.db.delete(place.samples).where(eq(place.samples.id, ids.two)).returning();
      expect(rows.map((row) => row[place.kind])).toEqual([place.second]);
      return rows;
    },
  },
];
