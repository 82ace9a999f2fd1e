import {
  and,
  asc,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  like,
  ne,
  not,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { expect } from 'vitest';
import { columnIn, ids, type Shapes } from './cell.ts';
import type { Place } from './place.ts';

type Where = (place: Place) => SQL | undefined;

async function expectFound(place: Place, where: Where, expected: readonly string[]): Promise<void> {
  const rows = await place.db.select({ id: place.samples.id }).from(place.samples).where(where(place));
  expect(rows.map(({ id }) => id).toSorted()).toEqual(expected);
}

const conditions: readonly [string, Where, readonly string[]][] = [
  ['eq', (place) => eq(columnIn(place), place.first), [ids.one]],
  ['ne', (place) => ne(columnIn(place), place.first), [ids.two]],
  ['inArray', (place) => inArray(columnIn(place), [place.first, place.second]), [ids.one, ids.two]],
  ['notInArray', (place) => notInArray(columnIn(place), [place.first]), [ids.two]],
  [
    'and, or',
    (place) =>
      and(or(eq(columnIn(place), place.first), eq(place.samples.city, 'none')), isNotNull(place.samples.id)),
    [ids.one],
  ],
  ['not', (place) => not(eq(columnIn(place), place.first)), [ids.two]],
  ['isNull', (place) => isNull(place.samples[place.kind]), []],
  ['isNotNull', (place) => isNotNull(place.samples[place.kind]), [ids.one, ids.two]],
  ['eq(null)', (place) => eq(columnIn(place), null), []],
  ['like', (place) => like(columnIn(place), '%a%'), []],
  ['gt', (place) => gt(columnIn(place), place.first), []],
];

const searches = conditions.map(
  ([shape, where, expected]) => [shape, async (place: Place) => expectFound(place, where, expected)] as const,
);

const expectRows = (rows: readonly object[], expected: readonly object[]): unknown => {
  expect(rows).toEqual(expected);
  return rows;
};

export const reads: readonly Shapes[] = [
  ['where', Object.fromEntries(searches)],
  [
    'select',
    {
      'all columns': async ({ db, samples, kind, ...place }) => {
        const rows = await db.select().from(samples).orderBy(samples.id);
        expect(rows.map((row) => row[kind])).toEqual([place.first, place.second]);
        expect(Object.keys(rows[0] ?? {}).filter((key) => key.endsWith('_index'))).toEqual([]);
        return rows;
      },
      'a nested object': async (place) =>
        expectRows(
          await place.db
            .select({ in: { value: columnIn(place), city: place.samples.city } })
            .from(place.samples)
            .orderBy(place.samples.id),
          [{ in: { value: place.first, city: 'London' } }, { in: { value: place.second, city: 'Paris' } }],
        ),
      'a join': async ({ db, samples, children, kind, ...place }) => {
        const rows = await db.select().from(children).innerJoin(samples, eq(samples.id, children.parentId));
        expect(rows).toMatchObject([
          { children: { remark: 'PLAIN remark' }, samples: { [kind]: place.first } },
        ]);
        return rows;
      },
      'a left join without a row': async ({ db, samples, children, kind, ...place }) => {
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
      'a join with itself': async (place) => {
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
      'a join on the encrypted column': async (place) => {
        const other = alias(place.samples, 'other');
        const rows = await place.db
          .select({ id: other.id })
          .from(place.samples)
          .innerJoin(other, eq(columnIn(place), other[place.kind] as never));
        expect(rows.map(({ id }) => id).toSorted()).toEqual([ids.one, ids.two]);
      },
      'a subquery with the id': async (place) => {
        const { samples } = place;
        const inner = place.db
          .select({ id: samples.id, value: columnIn(place) })
          .from(samples)
          .as('inner');
        const rows = await place.db.select({ value: inner.value }).from(inner).where(eq(inner.id, ids.two));
        return expectRows(rows, [{ value: place.second }]);
      },
      'a subquery without the id': async (place) => {
        const inner = place.db
          .select({ value: columnIn(place) })
          .from(place.samples)
          .as('inner');
        return place.db.select().from(inner);
      },
      '`with`, searched': async (place) => {
        const { db, samples } = place;
        const cte = db.$with('cte').as(
          db
            .select()
            .from(samples)
            .where(eq(columnIn(place), place.first)),
        );
        const rows = await db.with(cte).select().from(cte);
        expect(rows.map((row) => row[place.kind])).toEqual([place.first]);
        return rows;
      },
      '`orderBy`': async (place) =>
        place.db
          .select()
          .from(place.samples)
          .orderBy(asc(columnIn(place))),
      '`groupBy`': async (place) =>
        place.db
          .select({ city: sql`max(city)` })
          .from(place.samples)
          .groupBy(columnIn(place)),
      '`distinct`': async (place) => place.db.selectDistinct({ value: columnIn(place) }).from(place.samples),
      '`union`': async (place) => {
        const select = () => place.db.select({ value: columnIn(place) }).from(place.samples);
        return select().union(select());
      },
      'an expression': async (place) =>
        place.db.select({ n: sql`lower(${columnIn(place)})` }).from(place.samples),
    },
  ],
  [
    '`$count`',
    {
      'of a search': async (place) => {
        expect(await place.db.$count(place.samples, eq(columnIn(place), place.first))).toBe(1);
      },
    },
  ],
  [
    '`db.query`',
    {
      '`findMany` with rows of a relation': async ({ db, kind, ...place }) => {
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
  ],
  [
    '`db.query`',
    {
      // Leaves MariaDB out, because it does not support the SQL that Drizzle creates for nested relations.
      '`findMany`, nested in both directions': async ({ db, kind, ...place }) => {
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
      'a relation over the column': async ({ db, kind, ...place }) => {
        const rows = await db.query.samples.findMany({
          columns: { city: true },
          with: { [`${kind}Twin`]: { columns: { city: true, [kind]: true } } },
          orderBy: (t, { asc }) => asc(t.id),
        });
        const [one, two] = rows as unknown as Record<string, unknown>[];
        expect(one).toEqual({ city: 'London', [`${kind}Twin`]: { city: 'London', [kind]: place.first } });
        expect(two).toMatchObject({ [`${kind}Twin`]: { [kind]: place.second } });
        return rows;
      },
    },
    ['PostgreSQL', 'SQLite'],
  ],
  [
    '`db.query`',
    {
      '`findFirst`, searched': async ({ db, kind, ...place }) => {
        const row = await db.query.samples.findFirst({
          where: (t, { eq }) => eq(t[kind], place.second),
        });
        expect(row?.[kind]).toEqual(place.second);
        return row;
      },
      '`findMany`, with `not` around a search': async ({ db, kind, ...place }) => {
        const where = not(and(eq(place.samples.city, 'London'), eq(place.samples[kind], place.first)) as SQL);
        const rows = await db.query.samples.findMany({ columns: { [kind]: true }, where });
        return expectRows(rows, [{ [kind]: place.second }]);
      },
      '`orderBy`': async ({ db, kind }) => db.query.samples.findMany({ orderBy: (t) => desc(t[kind]) }),
      '`extras`': async ({ db, kind }) =>
        db.query.samples.findMany({ extras: (t) => ({ n: sql`lower(${t[kind]})`.as('n') }) }),
    },
  ],
  [
    'transaction',
    {
      committed: async ({ db, samples, kind, ...place }) => {
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
  ],
  [
    'raw SQL',
    {
      'with the column': async (place) =>
        place.raw(sql`select max(${columnIn(place)}) from ${place.samples}`),
    },
  ],
];
