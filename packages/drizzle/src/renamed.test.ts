// Fields under a name that is not their first.
import { eq, inArray } from 'drizzle-orm';
import { alias, index as indexOf, text, unique, uniqueIndex } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { field } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { expect, test } from 'vitest';
import { encrypted, encryptedTable, withEncryption } from './pg.ts';

const people = { table: 'people', field: 'mail' };
const renamed = field.text({ renamedFrom: people }).searchable();
const lasting = field.text({ renamedFrom: people }).searchable({ boundTo: people });
const sent: { sql: string; params: unknown[] }[] = [];
const plain = drizzle(async (sql, params) => {
  sent.push({ sql: sql.replaceAll('"', ''), params });
  return { rows: [] };
});
const { eaas, index } = await createClient();
/** A database that knows no table yet. */
const open = () => withEncryption(plain, eaas, { index });
const write = /write `searchable\({ boundTo: { table: 'people', field: 'mail' } }\)`/;

const columns = () => ({ id: text().primaryKey(), city: text(), email: encrypted(renamed) });
const users = encryptedTable('users', columns(), (self) => [indexOf().on(self.city, self.email)]);

test('promise: a search finds the fingerprints of both names, and its negation none of them', async () => {
  const db = open();
  await db.select({ id: users.id }).from(users).where(eq(users.email, 'ada'));
  expect(sent.at(-1)?.sql).toContain('where (users.email_index in ($1, $2)');
  expect(new Set(sent.at(-1)?.params).size).toBe(2);
  await db
    .select({ id: users.id })
    .from(users)
    .where(inArray(users.email, ['ada', 'eve']));
  expect(new Set(sent.at(-1)?.params).size).toBe(4);
});

test('promise: no join misses after a rename, because fingerprints that can differ are not compared', async () => {
  const others = alias(users, 'others');
  const join = open().select({ id: users.id }).from(users).innerJoin(others, eq(users.email, others.email));
  await expect(join).rejects.toThrow(write);
  const bound = (name: string, email: typeof renamed) =>
    encryptedTable(name, { id: text().primaryKey(), email: encrypted(email) });
  const [guests, members] = [
    bound('guests', field.text().searchable({ boundTo: people })),
    bound('members', field.text({ renamedFrom: { table: 'm', field: 'e' } }).searchable({ boundTo: people })),
  ];
  await open().select({ id: guests.id }).from(guests).innerJoin(members, eq(guests.email, members.email));
  expect(sent.at(-1)?.sql).toContain('on (guests.email_index = members.email_index');
  const late = open().select({ id: users.id }).from(users).innerJoin(guests, eq(users.email, guests.email));
  await expect(late).rejects.toThrow(write);
});

test.each<[string, (email: typeof renamed) => object]>([
  ['of the column', (email) => encryptedTable('w1', { ...columns(), email: encrypted(email).unique() })],
  [
    'of a constraint',
    (email) =>
      encryptedTable('w2', { ...columns(), email: encrypted(email) }, (self) => [
        unique().on(self.city, self.email),
      ]),
  ],
  [
    'of an index',
    (email) =>
      encryptedTable('w3', { ...columns(), email: encrypted(email) }, (self) => [
        uniqueIndex().on(self.email),
      ]),
  ],
])('promise: no duplicate passes a unique index after a rename: %s', async (_, tableOf) => {
  const find = async (email: typeof renamed) =>
    open()
      .select()
      .from(tableOf(email) as typeof users);
  await expect(find(renamed)).rejects.toThrow(write);
  expect(await find(lasting)).toEqual([]);
});
