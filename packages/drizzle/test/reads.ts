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
import { alias, type PgColumn } from 'drizzle-orm/pg-core';
import { shown } from '@eaas/test-kit/orms/shown';
import { expect } from 'vitest';
import { columnIn, ids, isFirst, returns, type Shapes } from './cell.ts';
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

const expectRows = async (query: PromiseLike<readonly object[]>, expected: readonly object[]) => {
  const rows = await shown(query);
  expect(rows).toEqual(expected);
  return rows;
};

/** The values of the column. */
const valuesOf = (place: Place) => place.db.select({ value: columnIn(place) }).from(place.samples);
/** Drizzle passes the aliased columns of the table. */
const orderBy = ({ id }: { id: PgColumn }) => asc(id);
const twinOf = ({ samples }: Place) => alias(samples, 'other');

export const reads: readonly Shapes[] = [
  ['where', Object.fromEntries(searches)],
  [
    'select',
    {
      'all columns': async (place) => {
        const rows = await returns('AB', ({ db, samples }) => db.select().from(samples).orderBy(samples.id))(
          place,
        );
        expect(JSON.stringify(Object.keys((rows as object[])[0] ?? {}))).not.toContain('_index"');
        return rows;
      },
      'a nested object': async ({ db, samples, kind, ...place }) => {
        const columns = { in: { value: samples[kind], city: samples.city } };
        return expectRows(db.select(columns).from(samples).orderBy(samples.id), [
          { in: { value: place.first, city: 'London' } },
          { in: { value: place.second, city: 'Paris' } },
        ]);
      },
      'a join': async ({ db, samples, children, kind, first }) => {
        const joined = db.select().from(children).innerJoin(samples, eq(samples.id, children.parentId));
        const rows = await shown(joined);
        expect(rows).toMatchObject([{ children: { remark: 'PLAIN remark' }, samples: { [kind]: first } }]);
        return rows;
      },
      'a left join without a row': async ({ db, samples, children, kind, ...place }) => {
        const joined = db.select().from(samples).leftJoin(children, eq(samples.id, children.parentId));
        const rows = await shown(joined.orderBy(samples.id));
        expect(rows).toMatchObject([
          { samples: { [kind]: place.first }, children: { remark: 'PLAIN remark' } },
          { samples: { [kind]: place.second }, children: null },
        ]);
        return rows;
      },
      'a join with itself': async (place) => {
        const [{ db, samples, kind, first, second }, other] = [place, twinOf(place)];
        const joined = db.select({ a: columnIn(place), b: other[kind] }).from(samples);
        return expectRows(joined.innerJoin(other, ne(other.id, samples.id)).orderBy(samples.id), [
          { a: first, b: second },
          { a: second, b: first },
        ]);
      },
      'a join on the encrypted column': async (place) => {
        const other = twinOf(place);
        const isSame = eq(columnIn(place), other[place.kind] as never);
        const rows = await place.db.select({ id: other.id }).from(place.samples).innerJoin(other, isSame);
        expect(rows.map(({ id }) => id).toSorted()).toEqual([ids.one, ids.two]);
      },
      'a subquery with the id': returns(
        'B',
        (place) => {
          const { db, samples } = place;
          const columns = { id: samples.id, value: columnIn(place) };
          const inner = db.select(columns).from(samples).as('inner');
          return db.select({ value: inner.value }).from(inner).where(eq(inner.id, ids.two));
        },
        'value',
      ),
      'a subquery without the id': (place) => place.db.select().from(valuesOf(place).as('inner')),
      '`with`, searched': returns('A', (place) => {
        const { db, samples } = place;
        const cte = db.$with('cte').as(db.select().from(samples).where(isFirst(place)));
        return db.with(cte).select().from(cte);
      }),
      '`orderBy`': (place) => valuesOf(place).orderBy(asc(columnIn(place))),
      '`groupBy`': (place) =>
        place.db
          .select({ city: sql`max(city)` })
          .from(place.samples)
          .groupBy(columnIn(place)),
      '`distinct`': (place) => place.db.selectDistinct({ value: columnIn(place) }).from(place.samples),
      '`union`': async (place) => valuesOf(place).union(valuesOf(place)),
      'an expression': (place) => place.db.select({ n: sql`lower(${columnIn(place)})` }).from(place.samples),
    },
  ],
  [
    '`$count`',
    {
      'of a search': async (place) => {
        expect(await place.db.$count(place.samples, isFirst(place))).toBe(1);
      },
    },
  ],
  [
    '`db.query`',
    {
      '`findMany` with rows of a relation': async ({ db, kind, ...place }) => {
        const children = { columns: { remark: true } } as const;
        const rows = db.query.samples.findMany({ columns: { [kind]: true }, with: { children }, orderBy });
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
        const rows = db.query.samples.findMany({
          columns: { city: true, [kind]: true },
          with: { children: { columns: { remark: true }, with: { parent: { columns: { [kind]: true } } } } },
          orderBy,
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
        const query = db.query.samples.findMany({
          columns: { city: true },
          with: { [`${kind}Twin`]: { columns: { city: true, [kind]: true } } },
          orderBy,
        });
        const rows = await shown(query);
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
        const query = db.query.samples.findFirst({ where: (t, { eq }) => eq(t[kind], place.second) });
        const row = await shown(query);
        expect(row?.[kind]).toEqual(place.second);
        return row;
      },
      '`findMany`, with `not` around a search': returns('B', ({ db, kind, ...place }) => {
        const where = not(and(eq(place.samples.city, 'London'), eq(place.samples[kind], place.first)) as SQL);
        return db.query.samples.findMany({ columns: { [kind]: true }, where });
      }),
      '`orderBy`': async ({ db, kind }) => db.query.samples.findMany({ orderBy: (t) => desc(t[kind]) }),
      '`extras`': async ({ db, kind }) =>
        db.query.samples.findMany({ extras: (t) => ({ n: sql`lower(${t[kind]})`.as('n') }) }),
    },
  ],
  [
    'transaction',
    {
      committed: returns('C', ({ db, samples, other }) =>
        db.transaction(async (tx) => {
          const isOne = eq(samples.id, ids.one);
          await tx.update(samples).set(other).where(isOne);
          return tx.select().from(samples).where(isOne);
        }),
      ),
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
