import { and, count, eq, or, relations, type SQL, sql } from 'drizzle-orm';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { EaasClient } from '@eaas/sdk';
import { createIndexKey, dateRange, field } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import { beforeEach, describe, expect, test } from 'vitest';
import { returnedColumns } from '../test/returned-columns.ts';
import { encrypted, encryptedTable, fieldsOf, matches, withEncryption } from './pg.ts';

const range = dateRange();
const patients = encryptedTable(
  'patients',
  {
    id: text().primaryKey(),
    name: encrypted(field.text()),
    born: encrypted(field.date().searchableBy({ range })),
  },
  { lowEntropy: 'accepted' },
);
const wards = pgTable('wards', { id: text().primaryKey(), patientId: text() });
const schema = {
  patients,
  wards,
  patientsOfWards: relations(wards, ({ many }) => ({ patients: many(patients) })),
  wardOfPatients: relations(patients, ({ one }) => ({
    ward: one(wards, { fields: [patients.id], references: [wards.patientId] }),
  })),
};

const service = createTestService();
const { key_id: keyId } = service.createKey('patients');
const eaas = new EaasClient({ ...service, keyId });
const index = await createIndexKey(eaas);

const day = (of: string) => new Date(`${of}T00:00Z`);
const stored = await fieldsOf(patients)
  .for(eaas, { index })
  .encryptRows(
    'patients',
    ['1990-01-01', '2006-11-01', '2006-11-30'].map((born) => ({ id: born, name: born, born: day(born) })),
    ({ id }) => id,
  );

let sent: { statement: string; params: unknown[] }[] = [];
beforeEach(() => {
  sent = [];
});

/** A database that has no `where`: it returns all rows, with the columns that the statement names. */
const plain = drizzle(
  async (statement, params) => {
    sent.push({ statement, params });
    const names = returnedColumns(statement);
    const read = ['id', 'name', 'born', 'id', 'born'];
    const nested = JSON.stringify(stored.map((row) => read.map((name) => row[name])));
    const rows = names.includes('patients') ? [{ id: 'ward', patients: nested }] : stored;
    return { rows: (rows as Record<string, unknown>[]).map((row) => names.map((name) => row[name])) };
  },
  { schema },
);
const db = withEncryption(plain, eaas, { index });

const adults = matches(patients.born, { range: { to: day('2006-11-24') } });
const select = (where: SQL | undefined) => db.select({ name: patients.name }).from(patients).where(where);

describe('a range with a bound inside a month', () => {
  test('is exact in a select: the rows outside are dropped after decryption', async () => {
    const found = await select(adults);
    expect(found).toEqual([{ name: '1990-01-01' }, { name: '2006-11-01' }]);
    const [{ statement, params }] = sent as [(typeof sent)[0]];
    expect(statement).toContain('string_to_array("patients"."born_range_index", \' \') && array[');
    expect(params).toHaveLength(1 + 106 + 11);
    // Their order says nothing about the dates.
    expect(params).toEqual(params.map(String).toSorted());
  });

  test('is exact beside other conditions, and with all columns', async () => {
    const found = await db
      .select()
      .from(patients)
      .where(and(sql`true`, and(adults, eq(patients.id, 'x'))));
    expect(found).toEqual([
      { id: '1990-01-01', name: '1990-01-01', born: day('1990-01-01') },
      { id: '2006-11-01', name: '2006-11-01', born: day('2006-11-01') },
    ]);
  });

  test('is exact in a relational query, and in a relation that it reads', async () => {
    const found = await db.query.patients.findMany({ where: adults, columns: { name: true } });
    expect(found).toEqual([{ name: '1990-01-01' }, { name: '2006-11-01' }]);
    const inner = { patients: { where: adults } } as const;
    expect(await db.query.wards.findMany({ columns: { id: true }, with: inner })).toEqual([
      {
        id: 'ward',
        patients: ['1990-01-01', '2006-11-01'].map((id) => ({ id, name: id, born: day(id) })),
      },
    ]);
  });

  test.each<[string, () => PromiseLike<unknown>]>([
    ['`limit`', () => select(adults).limit(10)],
    ['`findFirst`', () => db.query.patients.findFirst({ where: adults })],
    ['`or`', () => select(or(adults, eq(patients.id, 'x')))],
    ['a subquery', () => db.select().from(db.select().from(patients).where(adults).as('inner'))],
    ['`$count`', () => db.$count(patients, adults)],
    ['an aggregate', () => db.select({ n: count() }).from(patients).where(adults)],
    ['`groupBy`', () => db.select({ id: patients.id }).from(patients).where(adults).groupBy(patients.id)],
    [
      'a relation with `limit`',
      () => db.query.wards.findMany({ with: { patients: { where: adults, limit: 1 } } }),
    ],
  ])('is refused with %s, before a statement', async (_, run) => {
    await expect((async () => run())()).rejects.toMatchObject({
      name: 'EncryptedColumnError',
      code: 'not_supported',
      table: 'patients',
      column: 'born',
      remedy: expect.stringContaining('whole months (UTC)') as string,
    });
    expect(sent).toEqual([]);
  });
});

test('a range of whole months works with `limit`, with `or` and in `$count`', async () => {
  const to = new Date(day('2027-01-01').getTime() - 1);
  const quarter = matches(patients.born, { range: { from: day('2026-10-01'), to } });
  await select(or(quarter, eq(patients.id, 'x'))).limit(10);
  expect(sent).toHaveLength(1);
});
