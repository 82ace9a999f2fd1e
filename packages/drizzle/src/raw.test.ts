// SQL as text that compares an encrypted column, and SQL that only looks like it.
import { eq, sql } from 'drizzle-orm';
import { alias, pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { EaasClient } from '@eaas/sdk';
import { createIndexKey, field } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import { beforeEach, expect, test } from 'vitest';
import { encrypted, encryptedTable, withEncryption } from './pg.ts';

const users = encryptedTable('users', {
  id: text().primaryKey(),
  city: text(),
  email: encrypted(field.text().searchable()),
});
const contacts = pgTable('contacts', { id: text(), userId: text('user_id'), email: text() });

const service = createTestService();
const eaas = new EaasClient({ ...service, keyId: (await service.createKey('users')).key_id });
const sent: string[] = [];
const plain = drizzle(
  async (statement) => {
    sent.push(statement);
    return { rows: [] };
  },
  { schema: { users, contacts } },
);
const db = withEncryption(plain, eaas, { index: await createIndexKey(eaas) });
beforeEach(() => void (sent.length = 0));

const mail = 'ada@example.com';
const u = alias(users, 'u');
const from = () => db.select({ id: users.id }).from(users);
const joined = () => from().innerJoin(contacts, eq(contacts.userId, users.id));
const raw = (statement: string) => db.execute(statement);

test.each<[string, () => PromiseLike<unknown>]>([
  ['select', () => db.execute(sql`select id from users where email = ${mail}`)],
  ['select of the table', () => db.execute(sql`select id from ${users} where email = ${mail}`)],
  ['delete', () => db.execute(sql`delete from users where email = ${mail}`)],
  [
    'delete of the table',
    () => db.execute(sql`delete from ${users} where ${users.id} = ${'a'} or email = ${mail}`),
  ],
  ['a text', () => raw(`SELECT id FROM "public"."users" WHERE "users"."email" IN ('${mail}')`)],
  ['another schema', () => raw(`select id from tenant1.users where email = '${mail}'`)],
  ['an alias', () => db.execute(sql`select u.id from users as u where u.email like ${mail}`)],
  ['a function', () => db.execute(sql`select id from users where lower(email) = lower(${mail})`)],
  [
    'after a subquery',
    () =>
      db.execute(sql`select id from users where id in (select id from contacts) and lower(email) = ${mail}`),
  ],
  ['the value first', () => db.execute(sql`select id from users where ${mail} = email`)],
  ['a list of columns', () => db.execute(sql`select id from users where (id, email) in ((${'a'}, ${mail}))`)],
  ['a join', () => db.execute(sql`select c.id from contacts c join users u on u.email = c.email`)],
  ['using', () => db.execute(sql`select c.id from contacts c join users using (email)`)],
  ['a selected comparison', () => db.execute(sql`select email = ${mail} as same from users`)],
  [
    'a common table',
    () => db.execute(sql`with x as (select * from users) select id from x where x.email = ${mail}`),
  ],
  ['a subquery', () => db.execute(sql`select id from (select * from users) x where x.email <> ${mail}`)],
  ['`where`', () => from().where(sql`email = ${mail}`)],
  ['`where` of a relation', () => db.query.users.findMany({ where: sql`"email" = ${mail}` })],
  [
    '`where` of an alias',
    () =>
      db
        .select({ n: sql`1` })
        .from(u)
        .where(sql`u.email ilike ${mail}`),
  ],
  ['`where` of a delete', () => db.delete(users).where(sql`email = ${mail}`)],
  [
    '`where` of an update',
    () =>
      db
        .update(users)
        .set({ city: 'Bern', email: 'x' })
        .where(sql`email = ${mail}`),
  ],
  ['a count', () => db.$count(users, sql`lower(email) = ${mail}`)],
  [
    'a query in a query',
    () =>
      db
        .select()
        .from(contacts)
        .where(sql`user_id in ${from().where(sql`email = ${mail}`)}`),
  ],
  ['a selected comparison of a query', () => db.select({ same: sql`email = ${mail}` }).from(users)],
])('text that compares an encrypted column is refused: %s', async (_, run) => {
  await expect((async () => run())()).rejects.toMatchObject({
    code: 'not_supported',
    table: 'users',
    column: 'email',
    message: expect.not.stringContaining(mail),
    remedy: expect.stringContaining('${eq(…)}'),
  });
  expect(sent).toEqual([]);
});

const set = { city: sql`case when city is null then 'Bern' end`, email: 'x' };
test.each<[string, () => PromiseLike<unknown>]>([
  ['null', () => db.execute(sql`select id from users where email is null`)],
  ['not null', () => db.execute(sql`delete from users where users.email IS NOT NULL and id = ${'a'}`)],
  ['a count', () => db.execute(sql`select count(email) from users having count(email) > 1`)],
  [
    'the columns of a select',
    () => db.execute(sql`select id, u.email, email as shown from users u where id = ${'a'}`),
  ],
  ['an order', () => raw('select id from users where id > 1 group by id, email order by email, id')],
  ['the id', () => db.execute(sql`delete from users where id = ${'a'} returning email`)],
  ['a template', () => db.execute(sql`select id from ${users} where ${eq(users.email, mail)}`)],
  ['the index column', () => db.execute(sql`select id from users where email_index = ${'f'}`)],
  ['another table', () => db.execute(sql`select id from contacts where email = ${mail}`)],
  [
    'another table beside it',
    () => db.execute(sql`select c.id from contacts as c, users u where c.email = ${mail}`),
  ],
  [
    'another table in a subquery',
    () => raw('select id from users where id in (select 1 from contacts where contacts.email = 1)'),
  ],
  ['another column', () => db.execute(sql`select id from users where emails = ${1} and my_email = ${2}`)],
  ['a value', () => db.execute(sql`select id from users where city = ${'where email = 1'}`)],
  [
    'a type and a function',
    () => raw('select id from users where cast(id as email) = id::email or email(city) = city'),
  ],
  ['texts', () => raw("select id from users where city = 'email = ''x'''")],
  ['comments', () => raw('select id from users -- where email = 1\n /* and email = 2 */ where id = 3')],
  ['a definition', () => raw("alter table users add check (email like 'eaasA%')")],
  ['a copy', () => raw('insert into contacts (id, email) select id, email from users where id = 1')],
  [
    'a write to another table',
    () => raw('update contacts set email = null from users where users.id = user_id'),
  ],
  ['`where`', () => from().where(sql`email is not null and city = ${'Bern'}`)],
  ['`where` of a join', () => joined().where(sql`contacts.email = ${mail}`)],
  [
    'a relation',
    () => db.query.users.findMany({ where: sql`city = ${'Bern'}`, extras: { n: sql`1`.as('n') } }),
  ],
  ['`set`', () => db.update(users).set(set).where(eq(users.id, 'a'))],
  [
    'a conflict',
    () => db.insert(users).values({ id: 'a', email: 'x' }).onConflictDoUpdate({ target: users.id, set }),
  ],
])('text that does not is sent: %s', async (_, run) => {
  await run();
  expect(sent).toHaveLength(1);
});
