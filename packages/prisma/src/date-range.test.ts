import { EaasClient } from '@eaas/sdk';
import { createIndexKey, dateRange, defineFields, field, unencrypted } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import { beforeEach, describe, expect, test } from 'vitest';
import { columns, extensionOf, operate, relation } from '../test/played.ts';
import { encrypted } from './encrypted.ts';
import type { Args } from './values.ts';

const range = dateRange();
const fields = defineFields({
  Patient: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    name: field.text(),
    born: field.date().searchableBy({ range }),
  },
  Visit: { lowEntropy: 'accepted', ...unencrypted('id'), at: field.date().searchableBy({ range }) },
});

const service = createTestService();
const { key_id: keyId } = service.createKey('patients');
const eaas = new EaasClient({ ...service, keyId });
const index = await createIndexKey(eaas);
const records = fields.for(eaas, { index });

const day = (of: string) => new Date(`${of}T00:00Z`);
const visits = await records.encryptRows(
  'Visit',
  ['2026-10-31', '2026-11-02', '2026-11-24'].map((at) => ({ id: at, at: day(at) })),
  ({ id }) => id,
);
const patients = (
  await records.encryptRows(
    'Patient',
    ['1990-01-01', '2006-11-01', '2006-11-30'].map((born) => ({ id: born, name: born, born: day(born) })),
    ({ id }) => id,
  )
).map((row) => Object.assign(row, { visits }));

const extension = extensionOf(
  {
    Patient: {
      fields: [...columns('id', 'name', 'city', 'born', 'born_range_index'), relation('visits', 'Visit')],
    },
    Visit: { fields: columns('id', 'at', 'at_range_index') },
  },
  (prisma) => encrypted(prisma, eaas, fields, { index }),
);

let sent: Args[] = [];
beforeEach(() => {
  sent = [];
});

/** Runs an operation on all stored patients, with the columns that it selects, as a database would that has no `where`. */
function run(operation: string, args: Args, stored: unknown = patients): Promise<unknown> {
  return operate(extension, operation, args, async (given) => {
    sent.push(given);
    return structuredClone(stored);
  });
}

const idsOf = (rows: unknown) => (rows as { id: string }[]).map(({ id }) => id);
const adults = { born: { range: { to: day('2006-11-24') } } };

describe('a range with a bound inside a month', () => {
  test('is exact in `findMany`: the rows outside are dropped after decryption', async () => {
    expect(idsOf(await run('findMany', { where: adults }))).toEqual(['1990-01-01', '2006-11-01']);
    const fingerprints = JSON.stringify(sent).match(/[\da-f]{64}/g) ?? [];
    expect(fingerprints).toHaveLength(1 + 106 + 11);
    // Their order says nothing about the dates.
    expect(fingerprints).toEqual(fingerprints.toSorted());
  });

  test('is exact inside `AND` and beside other filters', async () => {
    const where = { city: 'Turin', AND: [{ AND: adults }, { name: { not: null } }] };
    expect(idsOf(await run('findMany', { where }))).toEqual(['1990-01-01', '2006-11-01']);
  });

  test.each<[string, Args]>([
    ['selects', { select: { name: true } }],
    ['omits', { omit: { born: true, id: true } }],
  ])('reads the field and the id of a query that %s, and removes them', async (_, choice) => {
    const found = (await run('findMany', { where: adults, ...choice })) as object[];
    expect(found.map((row) => Object.keys(row).toSorted())).toEqual([1, 2].map(() => ['name', 'visits']));
    expect(JSON.stringify(sent[0])).toMatch(/"select":.*"born":true|"omit":.*"born":false/);
  });

  test('is exact in a relation that the query reads', async () => {
    const where = { at: { range: { from: day('2026-11-01'), to: day('2026-11-03') } } };
    const found = (await run('findMany', { include: { visits: { where } } })) as { visits: object[] }[];
    expect(found.map((row) => idsOf(row.visits))).toEqual([1, 2, 3].map(() => ['2026-11-02']));
  });

  test('is refused if the result lacks the field, because its client omits it', async () => {
    const stored = patients.map(({ id, name }) => ({ id, name }));
    await expect(run('findMany', { where: adults }, stored)).rejects.toMatchObject({
      code: 'unsupported_filter',
      field: 'born',
      remedy: 'read it: add `omit: { born: false }`',
    });
  });

  const some = { visits: { some: { at: { range: { from: day('2026-11-02') } } } } };
  test.each<[string, string, Args]>([
    ['`take`', 'findMany', { where: adults, take: 10 }],
    ['`skip`', 'findMany', { where: adults, skip: 10 }],
    ['`cursor`', 'findMany', { where: adults, cursor: { id: 'x' } }],
    ['`distinct`', 'findMany', { where: adults, distinct: ['city'] }],
    ['`OR`', 'findMany', { where: { OR: [adults, { city: 'Turin' }] } }],
    ['a filter of a relation', 'findMany', { where: some }],
    ['`findFirst`', 'findFirst', { where: adults }],
    ['`findUnique`', 'findUnique', { where: { id: 'x', ...adults } }],
    ['`count`', 'count', { where: adults }],
    ['`aggregate`', 'aggregate', { where: adults, _count: true }],
    ['`groupBy`', 'groupBy', { where: adults, by: ['city'] }],
    ['`_count`', 'findMany', { include: { _count: { select: { visits: { where: some.visits.some } } } } }],
  ])('is refused with %s, before a query', async (_, operation, args) => {
    await expect(run(operation, args)).rejects.toMatchObject({
      name: 'EncryptedModelError',
      code: 'unsupported_filter',
      message: expect.stringContaining('inside a month also finds other days') as string,
      remedy: expect.stringContaining('whole months (UTC)') as string,
    });
    expect(sent).toEqual([]);
  });
});

test.each(['findMany', 'findFirst', 'count'])(
  'a range of whole months works in `%s`, also with `take`',
  async (name) => {
    const quarter = { from: day('2026-10-01'), to: new Date(day('2027-01-01').getTime() - 1) };
    const where = { OR: [{ born: { range: quarter } }, { city: 'Turin' }] };
    await run(name, { where, take: 1 });
    expect(sent).toHaveLength(1);
  },
);
