import { encrypted } from '@eaas/prisma';
import { createIndexKey, defineFields, text } from '@eaas/sdk/fields';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import { openBlindService } from '@eaas/test-kit/orms/blind-service';
import { type Client, folderOf, generateClient, openPrisma, schema } from './generated-client.ts';

const fields = defineFields({
  patients: {
    name: text(),
    email: text().searchable({ column: 'emailIndex', normalize: ['trim', 'lowercase'] }),
    ssn: text().searchable({ column: 'ssnIndex', normalize: ['digits'] }),
  },
  Visit: { note: text() },
  Tag: { label: text().searchable({ column: 'labelIndex' }) },
});
const models = { Patient: 'patients' } as const;

const service = await openBlindService();
const { eaas, bodies, counted } = service;
let database: TestDatabase;
let place: Awaited<ReturnType<typeof openPrisma>>;
let db: Client;

const open = (index: string | string[]): Client =>
  place.prisma.$extends(encrypted(place.prisma, eaas, fields, { index, models }));

beforeAll(async () => {
  database = await createDatabase();
  const folder = folderOf(7, 'blind');
  await generateClient(7, folder, schema);
  place = await openPrisma(7, folder, database);
  db = open('blind');
});

afterAll(async () => {
  await place.close();
  await database.drop();
  await service.close();
});

type Row = Record<string, unknown>;
const patient = async <T = { readonly name?: string | null }[]>(
  operation: string,
  args: object,
  on = db,
): Promise<T> => (await on.patient[operation]?.(args)) as T;
const namesOf = (rows: readonly { readonly name?: string | null }[]) =>
  rows.map(({ name }) => name ?? 'nobody').toSorted();

const city = 'London';
const ada = { name: 'Ada', email: 'Ada@example.com', ssn: '123-45', city };
const grace = { name: 'Grace', email: 'grace@example.com', ssn: '678-90', city };

beforeEach(async () => {
  await place.sql`truncate doctors, patients, visits, bills, tags cascade`;
  await patient('createMany', { data: [ada, grace, { city }] });
});

test('createMany requests all fingerprints in one request, which contains no plaintext', async () => {
  const data = Array.from({ length: 40 }, (_, at) => ({
    email: `canary-${at}@x.example`,
    ssn: `9${at}`,
    city,
  }));
  const { hashed } = await counted(() => patient('createMany', { data }));
  expect(hashed).toEqual([80]);
  expect(bodies.join().toLowerCase()).not.toMatch(/canary|ada@|"\/v1\/hash /);
  const rows = await place.sql`select email_index, ssn_index from patients where ssn is not null`;
  expect(rows).toHaveLength(42);
  for (const row of rows) expect(Object.values(row).join(' ')).toMatch(/^[\da-f]{64} [\da-f]{64}$/);
});

test('nested writes of several models ask for their fingerprints in one request', async () => {
  const tags = { create: [{ label: 'urgent' }, { label: 'new' }] };
  const data = { name: 'Joan', email: 'joan@example.com', ssn: '5', city, tags };
  const { hashed } = await counted(() => patient('create', { data }));
  expect(hashed).toEqual([4]);
  const found = await patient<Row>('findFirst', { where: { tags: { some: { label: 'new' } } } });
  expect(found).toMatchObject({ name: 'Joan' });
});

test.each([
  ['a value', { email: ' ADA@example.com' }, [1], ['Ada']],
  ['`equals`', { ssn: { equals: '12345' } }, [1], ['Ada']],
  ['`in`', { ssn: { in: ['12345', '67890', '0'] } }, [3], ['Ada', 'Grace']],
  ['`not`', { email: { not: ada.email } }, [1], ['Grace']],
  ['`notIn`', { ssn: { notIn: ['12345', '0'] } }, [2], ['Grace']],
  ['`null`', { ssn: null }, [], ['nobody']],
  [
    'conditions on several fields, at several depths',
    {
      OR: [{ ssn: '123-45' }, { AND: [{ city }, { OR: [{ email: { in: [grace.email] } }, { ssn: '0' }] }] }],
    },
    [3],
    ['Ada', 'Grace'],
  ],
])('a filter with %s sends at most one request', async (_, where, sizes, expected) => {
  const { result, hashed } = await counted(() => patient('findMany', { where }));
  expect({ hashed, found: namesOf(result) }).toEqual({ hashed: sizes, found: expected });
});

test('unique look-ups, upserts and the unique constraint work with blind hashes', async () => {
  expect(await patient<Row>('findUnique', { where: { ssn: '67890' } })).toMatchObject(grace);
  const upsert = { where: { ssn: ada.ssn }, create: ada, update: { name: 'Lovelace' } };
  expect(await patient<Row>('upsert', upsert)).toMatchObject({ name: 'Lovelace', ssn: ada.ssn });
  const twin = patient('create', { data: { ssn: '1234-5', city } });
  await expect(twin).rejects.toMatchObject({ code: 'P2002' });
  await patient('createMany', { data: [{ city }, { city }] });
  expect(await patient<number>('count', { where: { ssn: null } })).toBe(3);
});

test('update and updateMany write the new fingerprints', async () => {
  const data = { email: 'new@example.com' };
  const one = await counted(() => patient('update', { where: { ssn: ada.ssn }, data }));
  expect(one.hashed.reduce((sum, size) => sum + size, 0)).toBe(2);
  const by = async (email: string) => namesOf(await patient('findMany', { where: { email } }));
  expect([await by(data.email), await by(ada.email)]).toEqual([['Ada'], []]);
  const all = await counted(() => patient('updateMany', { data: { email: 'same@example.com' } }));
  expect(all.hashed).toEqual([1]);
  expect(await by('same@example.com')).toEqual(['Ada', 'Grace', 'nobody']);
  await patient('updateMany', { where: { ssn: { in: [ada.ssn, grace.ssn] } }, data: { email: null } });
  expect(await by('same@example.com')).toEqual(['nobody']);
  await patient('deleteMany', { where: { email: 'same@example.com' } });
  expect(await patient('findMany', {})).toHaveLength(2);
});

test('during a migration of an index to blind hashes, look-ups find old and new rows', async () => {
  const token = await createIndexKey(eaas);
  await place.sql`truncate patients cascade`;
  await patient('create', { data: ada }, open(token));
  const both = open(['blind', token]);
  await patient('create', { data: grace }, both);
  for (const { ssn, name } of [ada, grace]) {
    expect(await patient<Row>('findUnique', { where: { ssn } }, both)).toMatchObject({ name });
  }
  expect(await patient<Row | null>('findUnique', { where: { ssn: ada.ssn } })).toBeNull();
  const { ssn } = ada;
  await patient('update', { where: { ssn }, data: { ssn } }, both);
  expect(await patient<Row>('findUnique', { where: { ssn } })).toMatchObject({ name: 'Ada' });
});
