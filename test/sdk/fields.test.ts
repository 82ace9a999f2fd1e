import { DecryptionError, EaasClient } from '@eaas/sdk';
import {
  createIndexKey,
  date,
  defineFields,
  type EncryptedRow,
  FieldError,
  json,
  number,
  plaintext,
  text,
} from '@eaas/sdk/fields';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openServiceAndTable, type ServiceAndTable } from './service-and-table.ts';

// The real server, and a real table.

interface User {
  id: number;
  email: string;
  age: number;
  born: Date | null;
  notes: { tags: string[] };
}

const fields = defineFields({
  users: {
    email: text().searchable({ normalize: ['trim', 'lowercase'] }),
    age: number(),
    born: date(),
    notes: json<User['notes']>(),
  },
});

let place: ServiceAndTable;
let sql: ServiceAndTable['sql'];
let options: ServiceAndTable['options'];
let client: EaasClient;
let keyId: string;

beforeAll(async () => {
  place = await openServiceAndTable();
  ({ sql, options } = place);
});

afterAll(() => place.close());

beforeEach(async () => {
  ({ client, keyId } = await place.connect());
  await sql`drop table if exists users`;
  await sql`create table users (id int primary key, email text, email_index text, age text, born text, notes text)`;
  await sql`create index on users (email_index)`;
});

type Stored = EncryptedRow<typeof fields, 'users', User>;
const idOf = ({ id }: { readonly id: number }): number => id;
const insert = (rows: readonly Stored[]) => sql`insert into users ${sql(rows as Stored[])}`;
const all = () => sql<Stored[]>`select * from users order by id`;

const user = (id: number): User => ({
  id,
  email: ` User${id}@Example.com`,
  age: id / 2,
  born: id % 3 ? new Date(id * 86_400_000) : null,
  notes: { tags: [`secret ${id}`] },
});
const users = Array.from({ length: 200 }, (_, id) => user(id));

test.each(['service', 'here'])(
  'rows are stored, found and read; fingerprints are made by/%s',
  async (made) => {
    const index = made === 'service' ? 'service' : await createIndexKey(client);
    const records = fields.for(client, { index });
    await insert(await records.encryptRows('users', users, idOf));
    const { email_index } = await records.where('users', { email: 'user7@example.com' });
    const found = await sql<Stored[]>`select * from users where email_index in ${sql(email_index)}`;
    expect(await records.decryptRows('users', found, idOf)).toEqual([user(7)]);
    const cold = fields.for(new EaasClient({ ...options, keyId }), { index });
    expect(await cold.decryptRows('users', await all(), idOf)).toEqual(users);
    expect(JSON.stringify(await all())).not.toMatch(/example|secret/i);
  },
);

test('values exchanged in the database are told by table, field and row', async () => {
  const records = fields.for(client, { index: 'service' });
  await insert(await records.encryptRows('users', users.slice(0, 3), idOf));
  await sql`update users set notes = (select notes from users where id = 2) where id = 1`;
  await sql`update users set born = age where id = 2`;
  const settled = await records.decryptRows('users', await all(), idOf, { settled: true });
  expect(settled.map((row) => (row.ok ? row.value : row.error.message))).toEqual([
    user(0),
    `users.notes of row 1: ${new DecryptionError().message}`,
    `users.born of row 2: ${new DecryptionError().message}`,
  ]);
  await expect(records.decryptRows('users', await all(), idOf)).rejects.toThrow(FieldError);
});

test('a table of plaintext is migrated while it is read, and its end is proven', async () => {
  await sql`insert into users (id, email, age) select id, 'User' || id || '@example.com', id from generate_series(1, 20) id`;
  const migrating = defineFields({
    users: {
      email: text({ previous: plaintext() }).searchable({ normalize: ['trim', 'lowercase'] }),
      age: number({ previous: plaintext(Number) }),
    },
  });
  const read = () =>
    sql<{ id: number; email: string; age: string }[]>`select id, email, age from users order by id`;
  const records = migrating.for(client, { index: 'service' });
  const before = await records.decryptRows('users', await read(), idOf);
  for (const row of await records.encryptRows('users', before, idOf)) {
    await sql`update users set ${sql(row)} where id = ${row.id}`;
  }
  const [left] =
    await sql`select count(*)::int from users where email not like 'eaas%' or age not like 'eaas%'`;
  expect(left).toEqual({ count: 0 });
  const after = migrating.for(client, { index: 'service' });
  expect(await after.decryptRows('users', await read(), idOf)).toEqual(before);
  expect(after.reads()).toEqual({
    'users.email': { plaintext: 0, encrypted: 20 },
    'users.age': { plaintext: 0, encrypted: 20 },
  });
  const { email_index } = await after.where('users', { email: 'user7@example.com' });
  expect(await sql`select id from users where email_index in ${sql(email_index)}`).toEqual([{ id: 7 }]);
});

test('a text field is opened by the service too, with its context; a number is not', async () => {
  const { email, age } = await fields.for(client, { index: 'service' }).encryptRow('users', 1, user(1));
  const context = { table: 'users', row: '1' };
  const input = { key_id: keyId, key_version: 1 };
  const opened = await client.serverMode.decrypt({
    ...input,
    ciphertext: email,
    context: { ...context, field: 'email' },
  });
  expect(opened).toEqual({ plaintext: user(1).email });
  await expect(
    client.serverMode.decrypt({ ...input, ciphertext: age, context: { ...context, field: 'age' } }),
  ).rejects.toMatchObject({ code: 'decryption_failed' });
});

test('under a disabled key rows are still read, and found with an index key; the service makes no fingerprints', async () => {
  const index = [await createIndexKey(client), 'service'];
  const [here, both] = [fields.for(client, { index: index.slice(0, 1) }), fields.for(client, { index })];
  const stored = await here.encryptRow('users', 1, user(1));
  await client.keys.disable({ key_id: keyId });
  const email = user(1).email;
  expect((await here.where('users', { email })).email_index).toEqual([stored.email_index]);
  expect(await here.decryptRow('users', 1, stored)).toEqual(user(1));
  await expect(both.where('users', { email })).rejects.toMatchObject({ code: 'key_state', field: 'email' });
});
