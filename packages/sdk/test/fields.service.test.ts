import { checkConstraints, createIndexKey, defineFields, field, part, unencrypted } from '@eaas/sdk/fields';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openServiceAndTable, type ServiceAndTable } from '@eaas/test-kit/service-and-table';

const fields = defineFields({
  patients: {
    lowEntropy: 'accepted',
    ...unencrypted('id'),
    name: field.text().searchableBy({ words: part.words({ bits: 64 }) }),
    born: field.date().searchableBy({ month: part.months() }),
  },
});

let place: ServiceAndTable;
let sql: ServiceAndTable['sql'];
let client: Awaited<ReturnType<ServiceAndTable['connect']>>['client'];

beforeAll(async () => {
  place = await openServiceAndTable();
  ({ sql } = place);
  ({ client } = await place.connect());
});

afterAll(() => place.close());

test('rows written under two index keys are found by words and ranges, and index columns refuse plaintext', async () => {
  await sql`create table patients (
    id int primary key, name text, name_words_index text, born text, born_month_index text
  )`;
  await sql.unsafe(checkConstraints(fields, 'patients'));
  const old = await createIndexKey(client);
  const before = fields.for(client, { index: old });
  const records = fields.for(client, { index: [await createIndexKey(client), old] });
  const names = ['Ada King-Noël', 'Ada Lovelace', 'Adam Lovelace', '—', 'Ada Lovelace'];
  const patients = names.map((name, id) => ({ id, name, born: new Date(Date.UTC(1990, 9 + id, 15)) }));
  const idOf = ({ id }: { readonly id: number }) => id;
  await sql`insert into patients ${sql(await before.encryptRows('patients', patients.slice(2), idOf))}`;
  await sql`insert into patients ${sql(await records.encryptRows('patients', patients.slice(0, 2), idOf))}`;

  const { name_words_index } = await records.where('patients', { name: { words: 'LOVELACE ada' } });
  const all = name_words_index.map(
    (word) => sql`and string_to_array(name_words_index, ' ') && ${word}::text[]`,
  );
  expect(await sql`select id from patients where true ${all} order by id`).toEqual([{ id: 1 }, { id: 4 }]);
  const month = { from: new Date('1990-11-01'), to: new Date('1991-01-01') };
  const { born_month_index } = await records.where('patients', { born: { month } });
  const found = sql`select id from patients where born_month_index in ${sql(born_month_index)} order by id`;
  expect(await found).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);

  const stored = await sql<{ id: number; name: string }[]>`select * from patients order by id`;
  expect(JSON.stringify(stored)).not.toMatch(/ lovelace|1990-/i);
  expect(await records.decryptRows('patients', stored, idOf)).toEqual(patients);
  for (const column of ['name_words_index', 'born_month_index'])
    await expect(sql`update patients set ${sql(column)} = '1003' where id = 1`).rejects.toMatchObject({
      code: '23514',
    });
});

test('checkConstraints makes the database refuse plaintext, even if names need quotes', async () => {
  const name = 'the "Ada" table';
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
});

test('checkConstraints with `notValid` refuses new plaintext while old plaintext remains', async () => {
  await sql`create table users (id int primary key, email text)`;
  await sql`insert into users (id, email) values (1, 'ada@example.com')`;
  const emails = defineFields({ users: { email: field.text() } });
  await sql.unsafe(checkConstraints(emails, 'users', { notValid: true }));
  await expect(sql`insert into users (id, email) values (2, 'b@example.com')`).rejects.toMatchObject({
    constraint_name: 'users_email_check',
  });
  const { email } = await emails.for(client).encryptRow('users', 1, { email: 'ada@example.com' });
  await sql`update users set email = ${email} where id = 1`;
  await sql`alter table users validate constraint users_email_check`;
});
