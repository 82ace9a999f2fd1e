import { and, asc, between, desc, gt, like, not, or, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { eq, inArray, isNotNull, isNull, ne, notInArray } from '@eaas/drizzle/pg';
import { expect } from 'vitest';
import { type Cell, columnIn, ids, searchable } from './cell.ts';
import type { Place } from './place.ts';

type Where = (place: Place) => SQL | undefined;

async function expectFound(place: Place, where: Where, expected: readonly string[]): Promise<void> {
  const rows = await place.db.select({ id: place.samples.id }).from(place.samples).where(where(place));
  expect(rows.map(({ id }) => id).toSorted()).toEqual(expected);
}

const searches: readonly [string, Where, readonly string[]][] = [
  ['eq', (place) => eq(searchable(place), place.first), [ids.one]],
  ['ne', (place) => ne(searchable(place), place.first), [ids.two]],
  ['inArray', (place) => inArray(searchable(place), [place.first, place.second]), [ids.one, ids.two]],
  ['notInArray', (place) => notInArray(searchable(place), [place.first]), [ids.two]],
  ['not(eq)', (place) => not(eq(searchable(place), place.first)), [ids.two]],
  [
    'and, or',
    (place) =>
      and(
        or(eq(searchable(place), place.first), eq(place.samples.city, 'none')),
        isNotNull(place.samples.id),
      ),
    [ids.one],
  ],
  ['isNull', (place) => isNull(place.samples[place.kind]), []],
  ['isNotNull', (place) => isNotNull(place.samples[place.kind]), [ids.one, ids.two]],
  ['eq(null)', (place) => eq(searchable(place), null), []],
  ['like', (place) => like(columnIn(place), '%a%'), []],
  ['gt', (place) => gt(columnIn(place), place.first), []],
  ['between', (place) => between(columnIn(place), place.first, place.second), []],
];

const both = (place: Place): unknown[] => [place.first, place.second];

const expectRows = (rows: readonly object[], expected: readonly object[]): unknown => {
  expect(rows).toEqual(expected);
  return rows;
};

export const reads: readonly Cell[] = [
  ...searches.map(([shape, where, expected]): Cell => ({
    operation: 'where',
    shape,
    run: async (place) => expectFound(place, where, expected),
  })),
  {
    operation: 'select',
    shape: 'all columns',
    run: async ({ db, samples, kind, ...place }) => {
      const rows = await db.select().from(samples).orderBy(samples.id);
      expect(rows.map((row) => row[kind])).toEqual([place.first, place.second]);
      expect(Object.keys(rows[0] ?? {}).filter((key) => key.endsWith('_index'))).toEqual([]);
      return rows;
    },
  },
  {
    operation: 'select',
    shape: 'one column, renamed',
    run: async (place) =>
      expectRows(
        await place.db
          .select({ value: columnIn(place) })
          .from(place.samples)
          .orderBy(place.samples.id),
        both(place).map((value) => ({ value })),
      ),
  },
  {
    operation: 'select',
    shape: 'a nested object',
    run: async (place) =>
      expectRows(
        await place.db
          .select({ in: { value: columnIn(place), city: place.samples.city } })
          .from(place.samples)
          .orderBy(place.samples.id),
        [{ in: { value: place.first, city: 'London' } }, { in: { value: place.second, city: 'Paris' } }],
      ),
  },
  {
    operation: 'select',
    shape: 'an alias, searched',
    run: async (place) => {
      const other = alias(place.samples, 'other');
      const rows = await place.db
        .select({ value: other[place.kind] })
        .from(other)
        .where(eq(other[place.kind], place.first));
      return expectRows(rows, [{ value: place.first }]);
    },
  },
  {
    operation: 'select',
    shape: 'a join',
    run: async ({ db, samples, children, kind, ...place }) => {
      const rows = await db.select().from(children).innerJoin(samples, eq(samples.id, children.parentId));
      expect(rows).toMatchObject([
        { children: { remark: 'PLAIN remark' }, samples: { [kind]: place.first } },
      ]);
      return rows;
    },
  },
  {
    operation: 'select',
    shape: 'a left join without a row',
    run: async ({ db, samples, children, kind, ...place }) => {
      const rows = await db
        .select()
        .from(samples)
        .leftJoin(children, eq(samples.id, children.parentId))
        .orderBy(samples.id);
      expect(rows).toMatchObject([
        { samples: { [kind]: place.first }, children: { remark: 'PLAIN remark' } },
        { samples: { [kind]: place.second }, children: null },
      ]);
      return rows;
    },
  },
  {
    operation: 'select',
    shape: 'a join with itself',
    run: async (place) => {
      const other = alias(place.samples, 'other');
      const rows = await place.db
        .select({ a: columnIn(place), b: other[place.kind] })
        .from(place.samples)
        .innerJoin(other, ne(other.id, place.samples.id))
        .orderBy(place.samples.id);
      return expectRows(rows, [
        { a: place.first, b: place.second },
        { a: place.second, b: place.first },
      ]);
    },
  },
  {
    operation: 'select',
    shape: 'a join on the encrypted column',
    run: async (place) => {
      const other = alias(place.samples, 'other');
      const rows = await place.db
        .select({ id: other.id })
        .from(place.samples)
        .innerJoin(other, eq(searchable(place), other[place.kind] as never));
      expect(rows.map(({ id }) => id).toSorted()).toEqual([ids.one, ids.two]);
    },
  },
  {
    operation: 'select',
    shape: 'a subquery with the id',
    run: async (place) => {
      const { samples } = place;
      const inner = place.db
        .select({ id: samples.id, value: columnIn(place) })
        .from(samples)
        .as('inner');
      const rows = await place.db.select({ value: inner.value }).from(inner).where(eq(inner.id, ids.two));
      return expectRows(rows, [{ value: place.second }]);
    },
  },
  {
    operation: 'select',
    shape: 'a subquery without the id',
    run: async (place) => {
      const inner = place.db
        .select({ value: columnIn(place) })
        .from(place.samples)
        .as('inner');
      return place.db.select().from(inner);
    },
  },
  {
    operation: 'select',
    shape: 'a search in a subquery',
    run: async (place) => {
      const { db, samples, children } = place;
      const inner = db
        .select({ id: samples.id })
        .from(samples)
        .where(eq(searchable(place), place.first));
      const rows = await db
        .select({ parent: children.parentId })
        .from(children)
        .where(inArray(children.parentId, inner));
      return expectRows(rows, [{ parent: ids.one }]);
    },
  },
  {
    operation: 'select',
    shape: '`with`, searched',
    run: async (place) => {
      const { db, samples } = place;
      const cte = db.$with('cte').as(
        db
          .select()
          .from(samples)
          .where(eq(searchable(place), place.first)),
      );
      const rows = await db.with(cte).select().from(cte);
      expect(rows.map((row) => row[place.kind])).toEqual([place.first]);
      return rows;
    },
  },
  {
    operation: 'select',
    shape: '`orderBy`',
    run: async (place) =>
      place.db
        .select()
        .from(place.samples)
        .orderBy(asc(columnIn(place))),
  },
  {
    operation: 'select',
    shape: '`groupBy`',
    run: async (place) =>
      place.db
        .select({ city: sql`max(city)` })
        .from(place.samples)
        .groupBy(columnIn(place)),
  },
  {
    operation: 'select',
    shape: '`distinct`',
    run: async (place) => place.db.selectDistinct({ value: columnIn(place) }).from(place.samples),
  },
  {
    operation: 'select',
    shape: '`union`',
    run: async (place) => {
      const select = () => place.db.select({ value: columnIn(place) }).from(place.samples);
      return select().union(select());
    },
  },
  {
    operation: 'select',
    shape: 'an expression',
    run: async (place) => place.db.select({ n: sql`lower(${columnIn(place)})` }).from(place.samples),
  },
  {
    operation: 'select',
    shape: 'an expression of raw text',
    run: async (place) => place.db.select({ n: sql.raw(`max(samples.${place.kind})`) }).from(place.samples),
  },
  {
    operation: '`$count`',
    shape: 'of a search',
    run: async (place) => {
      expect(await place.db.$count(place.samples, eq(searchable(place), place.first))).toBe(1);
    },
  },
  {
    operation: '`db.query`',
    shape: '`findMany` with rows of a relation',
    run: async ({ db, kind, ...place }) => {
      const rows = await db.query.samples.findMany({
        columns: { [kind]: true },
        with: { children: { columns: { remark: true } } },
        orderBy: (t, { asc }) => asc(t.id),
      });
      return expectRows(rows, [
        { [kind]: place.first, children: [{ remark: 'PLAIN remark' }] },
        { [kind]: place.second, children: [] },
      ]);
    },
  },
  {
    operation: '`db.query`',
    shape: '`findMany`, nested in both directions',
    // Leaves MariaDB out, because it does not support the SQL that Drizzle creates for nested relations.
    dialects: ['PostgreSQL', 'SQLite'],
    run: async ({ db, kind, ...place }) => {
      const rows = await db.query.samples.findMany({
        columns: { city: true, [kind]: true },
        with: { children: { columns: { remark: true }, with: { parent: { columns: { [kind]: true } } } } },
        orderBy: (t, { asc }) => asc(t.id),
      });
      return expectRows(rows, [
        {
          city: 'London',
          [kind]: place.first,
          children: [{ remark: 'PLAIN remark', parent: { [kind]: place.first } }],
        },
        { city: 'Paris', [kind]: place.second, children: [] },
      ]);
    },
  },
  {
    operation: '`db.query`',
    shape: '`findMany` without a column',
    run: async ({ db, kind }) => {
      const rows: object[] = await db.query.samples.findMany({
        columns: { [kind]: false },
        orderBy: (t, { asc }) => asc(t.id),
      });
      expect(rows).toMatchObject([{ city: 'London' }, { city: 'Paris' }]);
      expect(rows.filter((row) => kind in row)).toEqual([]);
    },
  },
  {
    operation: '`db.query`',
    shape: '`findFirst`, searched',
    run: async ({ db, kind, ...place }) => {
      const row = await db.query.samples.findFirst({
        where: (t, { eq }) => eq(t[kind], place.second),
      });
      expect(row?.[kind]).toEqual(place.second);
      return row;
    },
  },
  {
    operation: '`db.query`',
    shape: '`orderBy`',
    run: async ({ db, kind }) => db.query.samples.findMany({ orderBy: (t) => desc(t[kind]) }),
  },
  {
    operation: '`db.query`',
    shape: '`extras`',
    run: async ({ db, kind }) =>
      db.query.samples.findMany({ extras: (t) => ({ n: sql`lower(${t[kind]})`.as('n') }) }),
  },
  {
    operation: 'transaction',
    shape: 'committed',
    run: async ({ db, samples, kind, ...place }) => {
      const rows = await db.transaction(async (tx) => {
        await tx.update(samples).set(place.other).where(eq(samples.id, ids.one));
        return tx
          .select({ value: columnIn({ db, samples, kind, ...place }) })
          .from(samples)
          .where(eq(samples.id, ids.one));
      });
      return expectRows(rows, [{ value: place.third }]);
    },
  },
  {
    operation: 'transaction',
    shape: 'rolled back',
    run: async (place) => {
      const failed = place.db.transaction(async (tx) => {
        await tx.update(place.samples).set(place.other);
        throw new Error('on purpose');
      });
      await expect(failed).rejects.toThrow('on purpose');
      const rows = await place.db
        .select({ value: columnIn(place) })
        .from(place.samples)
        .orderBy(place.samples.id);
      return expectRows(
        rows,
        both(place).map((value) => ({ value })),
      );
    },
  },
  {
    operation: 'raw SQL',
    shape: 'with the column',
    run: async (place) => place.raw(sql`select max(${columnIn(place)}) from ${place.samples}`),
  },
];
