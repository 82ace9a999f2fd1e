import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { encrypted, encryptedTable, encryptedText } from './pg.ts';
import { reportRaw } from './plain-fields.ts';

test('a second definition of a table in the schema neither inserts nor updates an encrypted column', async () => {
  const patients = encryptedTable('patients', {
    id: integer().primaryKey(),
    name: encryptedText(),
    city: text(),
  });
  const twin = pgTable('patients', { id: integer().primaryKey(), name: text(), city: text() });
  const sent: string[] = [];
  const plain = drizzle(
    async (statement) => {
      sent.push(statement);
      return { rows: [] };
    },
    { schema: { patients, twin } },
  );
  const service = createTestService();
  const db = encrypted(plain, new EaasClient({ ...service, keyId: service.createKey('patients').key_id }));
  const refused = { code: 'cannot_open', table: 'patients', column: 'name' };
  const writes = [
    async () => db.update(twin).set({ name: 'Ada' }),
    async () => db.update(twin).set({ name: 'Ada' }).returning({ id: twin.id }),
    async () => db.insert(twin).values([{ id: 1 }, { id: 2, name: 'Ada' }]),
    async () => db.update(twin).set({ name: 'Ada' }).prepare('plain').execute(),
  ];
  for (const write of writes) await expect(write()).rejects.toMatchObject(refused);
  expect(sent).toEqual([]);
  await db.update(twin).set({ city: 'London' });
  expect(sent).toHaveLength(1);
});

const rows = [
  { id: 1, name: 'Ada' },
  { id: 2, name: null },
];
const reports = [
  [{ column: 'id' }, [1, 2]],
  [{ column: 'name' }, ['Ada', null]],
];

test.each<[string, unknown, unknown]>([
  ['a list of rows', rows, reports],
  ['an object with rows', { rows, rowCount: 2 }, reports],
  ['rows in a list', [rows, []], reports],
  [
    'a row',
    rows[0],
    [
      [{ column: 'id' }, [1]],
      [{ column: 'name' }, ['Ada']],
    ],
  ],
  ['lists of values', [[1, 'Ada', new Uint8Array(2)]], []],
  ['no rows', [], []],
  ['nothing', undefined, []],
])('the columns of a raw result are reported: %s', (_, result, expected) => {
  const found: unknown[] = [];
  reportRaw(result, (...report) => found.push(report));
  expect(found).toEqual(expected);
});

test('of a long raw result, the first rows are reported', () => {
  const lengths: number[] = [];
  const long = Array.from({ length: 1_000 }, (_, id) => ({ id }));
  for (const result of [long, { rows: long }, [long, []]]) {
    reportRaw(result, (_, values) => lengths.push(values.length));
  }
  expect(lengths).toEqual([100, 100, 100]);
});
