// Fields under a name that is not their first.
import { eq } from 'drizzle-orm';
import {
  alias,
  index as indexOf,
  type PgColumn,
  type PgTable,
  pgTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { field } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { expect, test } from 'vitest';
import { encrypted, encryptedTable, withEncryption } from './pg.ts';

const people = { table: 'people', field: 'mail' };
const bare = field.text({ renamedFrom: people });
const [renamed, lasting] = [bare.searchable(), bare.searchable({ boundTo: people })];
const { eaas, index } = await createClient();
const open = () =>
  withEncryption(
    drizzle(async () => ({ rows: [] })),
    eaas,
    { index },
  );
const remedy = "write `searchable({ boundTo: { table: 'people', field: 'mail' } })`";
type Email = typeof renamed;
type Joined = PgTable & Readonly<Record<'id' | 'email', PgColumn>>;
const columns = (email: Email) => ({ id: text().primaryKey(), city: text(), email: encrypted(email) });

test('promise: no join misses after a rename, because fingerprints that can differ are not compared', async () => {
  const users = (email: Email) =>
    encryptedTable('users', columns(email), (self) => [indexOf().on(self.city, self.email)]);
  const join = async (own: Joined, other: Joined) =>
    open().select({ id: own.id }).from(own).innerJoin(other, eq(own.email, other.email));
  const guests = encryptedTable('guests', columns(field.text().searchable({ boundTo: people })));
  await expect(join(users(renamed), guests)).rejects.toThrow(`${remedy} in both`);
  await expect(join(users(renamed), alias(users(renamed), 'others'))).rejects.toThrow(`${remedy} in both`);
  expect(await join(users(lasting), guests)).toEqual([]);
  const old = encryptedTable('people', { ...columns(renamed), mail: encrypted(field.text()) });
  await expect(join(users(renamed), old)).rejects.toThrow('people.mail twice');
});

test.each<[string, (email: Email) => object]>([
  ['column', (email) => encryptedTable('users', { ...columns(email), email: encrypted(email).unique() })],
  [
    'constraint',
    (email) => encryptedTable('users', columns(email), ({ city, email: own }) => [unique().on(city, own)]),
  ],
  ['index', (email) => encryptedTable('users', columns(email), (self) => [uniqueIndex().on(self.email)])],
])('promise: no duplicate passes a unique %s after a rename', async (_, tableOf) => {
  const find = async (email: Email) =>
    open()
      .select()
      .from(tableOf(email) as never);
  await expect(find(renamed)).rejects.toThrow(remedy);
  expect(await find(lasting)).toEqual([]);
});

test.each(['ExtraConfigBuilder', 'ExtraConfigColumns'])(
  'a renamed field is refused if nobody knows what must differ, because Drizzle lacks `%s`',
  async (name) => {
    const users = encryptedTable('users', columns(lasting), (self) => [uniqueIndex().on(self.email)]);
    Reflect.deleteProperty(users, Symbol.for(`drizzle:${name}`));
    const refused = { name: 'EncryptedTableError', code: 'definition', table: 'users' };
    const message = expect.stringContaining(`there is no \`drizzle:${name}\``) as string;
    await expect(open().select().from(users)).rejects.toMatchObject({ ...refused, message });
  },
);

test('a renamed field in a table without constraints is read', async () => {
  const users = pgTable('users', { id: text().primaryKey(), email: encrypted(bare) });
  expect(await open().select().from(users)).toEqual([]);
});
