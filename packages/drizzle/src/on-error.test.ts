import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { text, uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { EaasClient } from '@eaas/sdk';
import { field, FieldError } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import { describe, expect, test, vi } from 'vitest';
import { returnedColumns } from '../test/returned-columns.ts';
import { encrypted, encryptedTable, fieldsOf, withEncryption } from './pg.ts';

const patients = encryptedTable('patients', {
  id: uuid().primaryKey(),
  name: encrypted(field.text()).notNull(),
  city: text().notNull(),
});
const service = createTestService();
const { key_id: keyId } = service.createKey('patients');
const eaas = new EaasClient({ ...service, keyId });
const [ada, bob] = [randomUUID(), randomUUID()];
const rows = await fieldsOf(patients)
  .for(eaas, {} as never)
  .encryptRows(
    'patients',
    [
      { id: ada, name: 'Ada', city: 'London' },
      { id: bob, name: 'Bob', city: 'Turin' },
    ],
    ({ id }) => id,
  );
const moved = { id: bob, name: rows[0]?.['name'], city: 'Turin' };
const stored: Readonly<Record<string, unknown>>[] = [{ ...rows[0] }, moved];

/** A driver that answers each statement with the stored rows, in the order of the columns that it names. */
const plain = drizzle(
  async (statement) => ({
    rows: stored.map((row) => returnedColumns(statement).map((name) => row[name])),
  }),
  { schema: { patients } },
);

const db = withEncryption(plain, eaas);
type Db = ReturnType<typeof db.onError>;

describe.each<[string, (of: Db) => PromiseLike<object[]>, (name: unknown) => object]>([
  ['select', (of) => of.select().from(patients), (name) => ({ id: bob, name, city: 'Turin' })],
  ['select of columns', (of) => of.select({ n: patients.name }).from(patients), (n) => ({ n })],
  [
    'a relational query',
    (of) => of.query.patients.findMany({ columns: { name: true, city: true } }),
    (name) => ({ name, city: 'Turin' }),
  ],
  [
    'returning',
    (of) => of.update(patients).set({ city: 'Turin' }).where(eq(patients.id, ada)).returning(),
    (name) => ({ id: bob, name, city: 'Turin' }),
  ],
])('%s', (_, run, expected) => {
  test('a value that cannot be decrypted throws by default', async () => {
    const reading = (async () => run(db))();
    await expect(reading).rejects.toMatchObject({
      name: 'FieldError',
      code: 'decryption',
      table: 'patients',
      field: 'name',
      row: bob,
      message: expect.stringMatching(new RegExp(`^patients\\.name of row ${bob}: .*onError`)) as string,
    });
  });

  test('with `null` the column is null, and the other rows are read', async () => {
    const found = await run(db.onError('null'));
    expect(found[1]).toEqual(expected(null));
    expect(JSON.stringify(found[0])).toContain('"Ada"');
  });

  test('what a function returns stands for the value', async () => {
    const onError = vi.fn((error: FieldError) => error.row);
    const found = await run(db.onError(onError));
    expect(found[1]).toEqual(expected(bob));
    expect(onError.mock.calls).toEqual([[expect.any(FieldError), expect.any(Object)]]);
  });
});

describe('the option `onError` of `withEncryption`', () => {
  test.each<[string, Parameters<typeof withEncryption>[2], unknown]>([
    ['for all tables', { onError: 'null' }, null],
    ['by table', { onError: { patients: () => 'unreadable' } }, 'unreadable'],
  ])('decides %s, and `db.onError` for one query', async (_, options, expected) => {
    const own = withEncryption(plain, eaas, options);
    expect((await own.select().from(patients))[1]?.name).toBe(expected);
    await expect((async () => own.onError('throw').select().from(patients))()).rejects.toBeInstanceOf(
      FieldError,
    );
  });

  test('throws at once for another value', () => {
    const refused = { code: 'schema', remedy: expect.stringContaining("'null'") as string };
    const wrong = { onError: { patients: 'skip' as 'null' } };
    expect(() => withEncryption(plain, eaas, wrong)).toThrow(
      expect.objectContaining({ ...refused, table: 'patients' }),
    );
    expect(() => db.onError(null as never)).toThrow(expect.objectContaining(refused));
  });
});

const bare = drizzle(async () => ({ rows: [] }));
test.each<[string, object]>([
  ['`withEncryption` has no option `indx`: did you mean `index`?', { indx: 'service' }],
  ['patiens: `onError` names no known table with encrypted columns', { onError: { patiens: 'null' } }],
  ['patiens.name: `keyIds` names no known table', { keyIds: { 'patiens.name': keyId } }],
  ['`keyIds` has an entry for `patients.nmae`', { keyIds: { 'patients.nmae': keyId } }],
])('a misspelt name is refused, without a schema by the first statement: %s', async (message, options) => {
  expect(() => withEncryption(plain, eaas, options)).toThrow(message);
  const first = async () => withEncryption(bare, eaas, options).select().from(patients);
  await expect(first()).rejects.toThrow(message);
});
