import { and, isNotNull, or } from 'drizzle-orm';
import { uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import {
  encrypted,
  encryptedTable,
  encryptedText,
  eq,
  inArray,
  isNull,
  ne,
  notInArray,
} from '@eaas/drizzle/pg';
import { createIndexKey, lastCharacters } from '@eaas/sdk/fields';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createDatabase } from '@eaas/test-kit/database';
import { openBlindService } from '@eaas/test-kit/orms/blind-service';

const patients = encryptedTable('patients', {
  id: uuid()
    .primaryKey()
    .$defaultFn(() => crypto.randomUUID()),
  name: encryptedText(),
  email: encryptedText().searchable({ normalize: ['trim', 'lowercase'] }),
  ssn: encryptedText()
    .searchable({ normalize: ['digits'] })
    .unique(),
});

const service = await openBlindService();
const { eaas, bodies, counted } = service;
const database = await createDatabase();
const connection = postgres({ ...database.connection('owner'), max: 2, onnotice: () => {} });
const plain = drizzle(connection, { schema: { patients } });
const db = encrypted(plain, eaas, { index: 'blind' });

const ada = { name: 'Ada', email: 'Ada@example.com', ssn: '123-45' };
const grace = { name: 'Grace', email: 'grace@example.com', ssn: '678-90' };
const nobody = { name: null, email: null, ssn: null };

afterAll(async () => {
  await connection.end();
  await database.drop();
  await service.close();
});

beforeEach(async () => {
  await connection.unsafe(`
    drop table if exists patients;
    create table patients (id uuid primary key, name text, email text, email_index text, ssn text, ssn_index text unique)`);
  await db.insert(patients).values([ada, grace, nobody]);
});

const namesOf = (rows: readonly { readonly name: string | null }[]) =>
  rows.map(({ name }) => name ?? 'nobody').toSorted();

test('an insert of many rows requests all fingerprints in one request, which contains no plaintext', async () => {
  const rows = Array.from({ length: 40 }, (_, at) => ({ email: `canary-${at}@example.com`, ssn: `9${at}` }));
  const { result, hashed } = await counted(async () => db.insert(patients).values(rows).returning());
  expect(hashed).toEqual([80]);
  expect(result.map(({ email }) => email)).toEqual(rows.map(({ email }) => email));
  expect(bodies.join().toLowerCase()).not.toMatch(/canary|ada@|"\/v1\/hash /);
  for (const row of await connection`select email_index, ssn_index from patients where ssn is not null`)
    expect(Object.values(row).join(' ')).toMatch(/^[\da-f]{64} [\da-f]{64}$/);
});

test.each([
  ['eq', () => eq(patients.email, ' ADA@example.com'), [1], ['Ada']],
  ['ne', () => ne(patients.email, ada.email), [1], ['Grace']],
  ['inArray', () => inArray(patients.ssn, ['12345', '67890', '0']), [3], ['Ada', 'Grace']],
  ['notInArray', () => notInArray(patients.ssn, ['12345', '0']), [2], ['Grace']],
  [
    'conditions on several columns, at several depths',
    () =>
      and(
        isNotNull(patients.id),
        or(
          eq(patients.ssn, '123-45'),
          and(isNotNull(patients.id), or(eq(patients.email, grace.email), eq(patients.ssn, '0'))),
        ),
      ),
    [3],
    ['Ada', 'Grace'],
  ],
  ['isNull', () => isNull(patients.ssn), [], ['nobody']],
])('a search with %s sends at most one request', async (_, where, sizes, expected) => {
  const { result, hashed } = await counted(async () => db.select().from(patients).where(where()));
  expect({ hashed, found: namesOf(result) }).toEqual({ hashed: sizes, found: expected });
});

test('relational queries and counts can search by a blind hash', async () => {
  const found = await db.query.patients.findFirst({ where: (t, { eq }) => eq(t.ssn, '67890') });
  expect(found).toMatchObject(grace);
  expect(await db.$count(patients, eq(patients.email, ada.email))).toBe(1);
});

test('the unique constraint refuses an equal value, in inserts and updates', async () => {
  const twin = async () => db.insert(patients).values({ ssn: '1234-5' });
  await expect(twin()).rejects.toMatchObject({ cause: { code: '23505' } });
  const update = async () => db.update(patients).set({ ssn: '12345' }).where(eq(patients.ssn, grace.ssn));
  await expect(update()).rejects.toMatchObject({ cause: { code: '23505' } });
  await db.insert(patients).values([nobody, nobody]);
  expect(await db.$count(patients, isNull(patients.ssn))).toBe(3);
});

test('an update writes the new fingerprint, and an update to null removes it', async () => {
  const one = await counted(async () =>
    db.update(patients).set({ email: 'new@example.com' }).where(eq(patients.ssn, ada.ssn)),
  );
  expect(one.hashed).toEqual([1, 1]);
  const by = async (email: string) =>
    namesOf(await db.select().from(patients).where(eq(patients.email, email)));
  expect([await by('new@example.com'), await by(ada.email)]).toEqual([['Ada'], []]);
  await db.update(patients).set({ email: null }).where(eq(patients.ssn, ada.ssn));
  expect(await by('new@example.com')).toEqual([]);
  expect(await connection`select from patients where email is null and email_index is null`).toHaveLength(2);
});

test('an update of all rows sends each value once, and a delete searches by a blind hash', async () => {
  const { hashed } = await counted(async () => db.update(patients).set({ email: 'same@example.com' }));
  expect(hashed).toEqual([1]);
  const same = eq(patients.email, 'same@example.com');
  expect(await db.$count(patients, same)).toBe(3);
  await db.delete(patients).where(and(same, inArray(patients.ssn, [ada.ssn, grace.ssn])));
  expect(namesOf(await db.select().from(patients))).toEqual(['nobody']);
});

test('during a migration of an index to blind hashes, searches find old and new rows', async () => {
  const token = await createIndexKey(eaas);
  await connection`truncate patients`;
  await encrypted(plain, eaas, { index: token }).insert(patients).values(ada);
  const both = encrypted(plain, eaas, { index: ['blind', token] });
  await both.insert(patients).values(grace);
  const found = inArray(patients.email, [ada.email, grace.email]);
  expect(namesOf(await both.select().from(patients).where(found))).toEqual(['Ada', 'Grace']);
  expect(namesOf(await db.select().from(patients).where(found))).toEqual(['Grace']);
  await both.update(patients).set({ email: ada.email }).where(eq(patients.ssn, ada.ssn));
  expect(namesOf(await db.select().from(patients).where(found))).toEqual(['Ada', 'Grace']);
});

test('`searchableBy` needs an index key even if the client computes fingerprints by blind hash', async () => {
  const people = encryptedTable('people', {
    id: uuid().primaryKey(),
    ssn: encryptedText().searchableBy({ end: lastCharacters(4, { lowEntropy: 'accepted' }) }),
  });
  const insert = async () => db.insert(people).values({ id: crypto.randomUUID(), ssn: '123-45' });
  await expect(insert()).rejects.toThrow('needs an index key');
});
