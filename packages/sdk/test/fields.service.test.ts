import { checkConstraints, createIndexKey, defineFields, field, part, unencrypted } from '@eaas/sdk/fields';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openServiceAndTable, type ServiceAndTable } from '@eaas/test-kit/service-and-table';

let place: ServiceAndTable;
let sql: ServiceAndTable['sql'];
let client: Awaited<ReturnType<ServiceAndTable['connect']>>['client'];

beforeAll(async () => {
  place = await openServiceAndTable();
  ({ sql } = place);
  ({ client } = await place.connect());
});

afterAll(() => place.close());

test('checkConstraints makes the database refuse plaintext, also in indexes, and if names need quotes', async () => {
  const name = 'the "Ada" table';
  await sql`create table ${sql(name)}
    (id int primary key, "fi""rst" text, last_name text, last_name_index text, words text, months text, born text, city text)`;
  const people = {
    'fi"rst': field.text(),
    lastName: field
      .text()
      .searchable()
      .searchableBy({ words: part.words({ bits: 64 }) }),
    born: field.date().searchableBy({ month: part.months() }),
  };
  const odd = defineFields({ people: { lowEntropy: 'accepted', ...unencrypted('id', 'city'), ...people } });
  const renamed = {
    lastName: 'last_name',
    lastName_index: 'last_name_index',
    lastName_words_index: 'words',
    born_month_index: 'months',
  } as const;
  await sql.unsafe(checkConstraints(odd, 'people', { schema: 'public', table: name, columns: renamed }));
  const row = { id: 1, 'fi"rst': 'Ada', lastName: 'King-Noël', born: new Date(0), city: 'London' };
  const stored = await odd.for(client, { index: await createIndexKey(client) }).encryptRow('people', 1, row);
  const columns = Object.entries(stored).map(([key, value]) => [renamed[key as 'lastName'] ?? key, value]);
  await sql`insert into ${sql(name)} ${sql(Object.fromEntries(columns) as object)}`;
  await sql`insert into ${sql(name)} (id) values (2)`;
  for (const column of ['fi"rst', 'last_name', 'born', 'words', 'months']) {
    const update = sql`update ${sql(name)} set ${sql(column)} = '1003' where id = 1`;
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
