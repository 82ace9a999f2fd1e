import { EaasClient } from '@eaas/sdk';
import {
  checkConstraints,
  createIndexKey,
  defineFields,
  type EncryptedRow,
  field,
  unencrypted,
} from '@eaas/sdk/fields';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openServiceAndTable, type ServiceAndTable } from '@eaas/test-kit/service-and-table';

interface User {
  id: number;
  email: string;
  age: number;
  born: Date | null;
  notes: { tags: string[] };
}

const fields = defineFields({
  users: {
    ...unencrypted('id'),
    email: field.text().searchable({ normalize: ['trim', 'lowercase'] }),
    age: field.number(),
    born: field.date(),
    notes: field.json<User['notes']>(),
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
  'an app can store, find and read rows (source of the fingerprints: %s)',
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

test('checkConstraints makes the database refuse plaintext, even if names need quotes', async () => {
  const name = 'the "Ada" table';
  await sql`drop table if exists ${sql(name)}`;
  await sql`create table ${sql(name)} (id int primary key, "fi""rst" text, last_name text, city text)`;
  const odd = defineFields({
    people: { ...unencrypted('id', 'city'), 'fi"rst': field.text(), lastName: field.text().searchable() },
  });
  const names = { schema: 'public', table: name, columns: { lastName: 'last_name' } };
  await sql.unsafe(checkConstraints(odd, 'people', names));
  const row = { id: 1, 'fi"rst': 'Ada', lastName: 'Lovelace', city: 'London' };
  const {
    lastName: last_name,
    lastName_index: _,
    ...stored
  } = await odd.for(client, { index: 'service' }).encryptRow('people', 1, row);
  await sql`insert into ${sql(name)} ${sql({ ...stored, last_name })}`;
  await sql`insert into ${sql(name)} (id) values (2)`;
  for (const column of ['fi"rst', 'last_name']) {
    const update = sql`update ${sql(name)} set ${sql(column)} = 'Ada' where id = 1`;
    await expect(update).rejects.toMatchObject({ code: '23514' });
  }
  await sql`drop table ${sql(name)}`;
});

test('checkConstraints with `notValid` refuses new plaintext while old plaintext remains', async () => {
  await sql`insert into users (id, email) values (1, 'ada@example.com')`;
  const emails = defineFields({ users: { email: field.text() } });
  await expect(sql.unsafe(checkConstraints(emails, 'users'))).rejects.toMatchObject({ code: '23514' });
  await sql.unsafe(checkConstraints(emails, 'users', { notValid: true }));
  await expect(sql`insert into users (id, email) values (2, 'b@example.com')`).rejects.toMatchObject({
    constraint_name: 'users_email_check',
  });
  const validate = () => sql`alter table users validate constraint users_email_check`;
  await expect(validate()).rejects.toMatchObject({ code: '23514' });
  const { email } = await emails.for(client).encryptRow('users', 1, { email: 'ada@example.com' });
  await sql`update users set email = ${email} where id = 1`;
  await validate();
});

test('a unique index column accepts two values that are empty after normalization', async () => {
  await sql`drop table if exists phones`;
  await sql`create table phones (id int primary key, phone text, phone_index text unique)`;
  const phones = defineFields({
    phones: { ...unencrypted('id'), phone: field.text().searchable({ normalize: ['digits'] }) },
  });
  const records = phones.for(client, { index: 'service' });
  const store = async (id: number, phone: string) =>
    sql`insert into phones ${sql(await records.encryptRow('phones', id, { id, phone }))}`;
  await store(1, 'n/a');
  await store(2, '');
  await store(3, '020 7946');
  await expect(store(4, '0207946')).rejects.toMatchObject({ code: '23505' });
  await sql`drop table phones`;
});
