// SQL as text that compares an encrypted column, and SQL that only looks like it.
import { count, eq, exists, type SQL, sql } from 'drizzle-orm';
import { alias, pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { field } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { beforeEach, expect, test } from 'vitest';
import { encrypted, encryptedTable, withEncryption } from './pg.ts';

const users = encryptedTable('users', {
  id: text().primaryKey(),
  city: text(),
  email: encrypted(field.text().searchable()),
});
const contacts = pgTable('contacts', { id: text(), userId: text('user_id'), email: text() });

const { eaas, index } = await createClient();
const sent: string[] = [];
const plain = drizzle(
  async (statement) => {
    sent.push(statement);
    return { rows: [] };
  },
  { schema: { users, contacts } },
);
const db = withEncryption(plain, eaas, { index });
beforeEach(() => {
  sent.length = 0;
});

const mail = 'ada@example.com';
const from = () => db.select({ id: users.id }).from(users);
const run = async (given: SQL | string) => db.execute(given);

const refused = { code: 'not_supported', table: 'users', column: 'email' };

test.each([
  `select id from users where email = '${mail}'`,
  `SELECT id FROM "public"."users" WHERE "users"."email" IN ('${mail}')`,
  `select id from tenant1.users where email = '${mail}'`,
  `delete from users where id = 'a' or email = '${mail}'`,
  `select u.id from users as u where u.email like '${mail}'`,
  `select id from users where lower(email) = lower('${mail}')`,
  `select id from users where starts_with(email, '${mail}')`,
  `select id from users where email is not distinct from '${mail}'`,
  `select id from users where id in (select id from contacts) and lower(email) = '${mail}'`,
  `select id from users where '${mail}' = email`,
  `select id from users where (id, email) in (('a', '${mail}'))`,
  'select c.id from contacts c join users u on u.email = c.email',
  'select c.id from contacts c join users using (email)',
  `select email = '${mail}' as same from users`,
  `with x as (select * from users) select id from x where x.email = '${mail}'`,
  `select id from (select * from users) x where x.email <> '${mail}'`,
])('text that compares an encrypted column is refused: %s', async (statement) => {
  const texts = {
    message: expect.not.stringContaining(mail),
    remedy: expect.stringContaining('${eq(…)}'),
  };
  await expect(run(statement)).rejects.toMatchObject({ ...refused, ...texts });
  expect(sent).toEqual([]);
});

const u = alias(users, 'u');
test.each<[string, (where: SQL) => Promise<unknown>]>([
  ['`where`', async (where) => from().where(where)],
  ['`where` of an alias', async (where) => db.select({ n: count() }).from(u).where(where)],
  ['`where` of a relation', async (where) => db.query.users.findMany({ where })],
  ['`where` of a delete', async (where) => db.delete(users).where(where)],
  ['`where` of an update', async (where) => db.update(users).set({ email: 'x' }).where(where)],
  [
    'a subquery',
    async (where) =>
      db
        .select()
        .from(contacts)
        .where(exists(from().where(where))),
  ],
  ['a count', async (where) => db.$count(users, where)],
  ['a selected column', async (same) => db.select({ same }).from(users)],
  ['a template with the table', async (where) => run(sql`select id from ${users} where ${where}`)],
])('also if the statement is of Drizzle: %s', async (_, statement) => {
  await expect(statement(sql`lower(email) = ${mail}`)).rejects.toMatchObject(refused);
  expect(sent).toEqual([]);
});

test.each([
  " create table if not exists users (id text, email text, check (email glob 'eaasA*'))",
  'select id from users where email is null',
  "delete from users where users.email IS NOT NULL and id = 'a'",
  'select count(email) from users having count(email) > 1',
  "select id, u.email, data->>'x', email as shown from users u where id = 'a'",
  'select id from users where id > 1 group by id, email order by email, id',
  "delete from users where id = 'a' returning email",
  "select id from users where email_index = 'f' and emails = 1 and my_email = 2",
  `select id from contacts where email = '${mail}'`,
  'select id from users where cast(id as email) = id::email or email(city) = city',
  "select id from users where city = 'email = ''x'''",
  'select id from users -- where email = 1\n /* and email = 2 */ where id = 3',
  "alter table users add check (email like 'eaasA%')",
  'insert into contacts select id, email from users where id = 1 on conflict (email) do nothing',
  'update contacts set email = null from users where users.id = user_id',
])('text that does not is sent: %s', async (statement) => {
  await run(statement);
  expect(sent).toHaveLength(1);
});

const set = { city: sql`case when city is null then 'Bern' end`, email: 'x' };
test.each<[string, () => PromiseLike<unknown>]>([
  ['`where`', () => from().where(sql`email is not null and city = ${'where email = 1'}`)],
  ['a template', () => run(sql`select id from ${users} where ${eq(users.email, mail)}`)],
  ['a column', () => from().innerJoin(contacts, sql`${contacts.email} = ${mail}`)],
  ['a name', () => run(sql`select 1 from users, contacts c where c.${sql.identifier('email')} = ${mail}`)],
  ['`set`', () => db.update(users).set(set).where(eq(users.id, 'a'))],
  ['a conflict', () => db.insert(users).values({ id: 'a' }).onConflictDoUpdate({ target: users.id, set })],
])('so is what the text does not name: %s', async (_, statement) => {
  await statement();
  expect(sent).toHaveLength(1);
});
