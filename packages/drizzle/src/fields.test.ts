// A second, plain definition of an encrypted table, which would write plaintext and return ciphertexts without a word.
import { eq } from 'drizzle-orm';
import { mysqlTable, text as mysqlText } from 'drizzle-orm/mysql-core';
import { drizzle as mysqlProxy } from 'drizzle-orm/mysql-proxy';
import { pgSchema, pgTable, text } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core';
import { drizzle as sqliteProxy } from 'drizzle-orm/sqlite-proxy';
import { field } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { beforeEach, describe, expect, test } from 'vitest';
import * as mysql from './mysql.ts';
import * as pg from './pg.ts';
import * as sqlite from './sqlite.ts';

const { eaas } = await createClient();
const sent: string[] = [];
const driver = async (statement: string) => {
  sent.push(statement);
  return { rows: [['a', null]] };
};
beforeEach(() => {
  sent.length = 0;
});

const name = pg.encrypted('first_name', field.text());
const people = pg.encryptedTable('twins', { id: text().primaryKey(), name });
const twin = pgTable('twins', { id: text().primaryKey(), firstName: text('first_name') });
const plainly = { id: text(), firstName: text('first_name') };
const other = pgTable('others', { id: text() });
const open = (options: object = {}) => pg.withEncryption(drizzle(driver, options), eaas);

type Database = ReturnType<typeof open>;
const statements: [string, (db: Database, table: typeof twin) => PromiseLike<unknown>][] = [
  ['a select', (db, table) => db.select().from(table)],
  ['an insert', (db, table) => db.insert(table).values({ id: 'a', firstName: 'PLAIN' })],
  ['an update', (db, table) => db.update(table).set({ firstName: 'PLAIN' })],
  ['a search', (db, table) => db.select({ id: table.id }).from(table).where(eq(table.firstName, 'PLAIN'))],
  ['a delete', (db, table) => db.delete(table).where(eq(table.firstName, 'PLAIN'))],
  ['a count', (db, table) => db.$count(table, eq(table.firstName, 'PLAIN'))],
];

const inMySql = mysqlTable('twins', { id: mysqlText(), firstName: mysqlText('first_name') });
const inSqlite = sqliteTable('twins', { id: sqliteText(), firstName: sqliteText('first_name') });
mysql.encryptedTable('twins', { id: mysqlText(), first_name: mysql.encrypted(field.text()) });
sqlite.encryptedTable('twins', { id: sqliteText(), first_name: sqlite.encrypted(field.text()) });

describe.each<[string, Database, typeof twin]>([
  ['a database without a schema', open(), twin],
  ['a database whose schema does not name the table', open({ schema: { other } }), twin],
  ['a schema with both definitions', open({ schema: { people, twin } }), twin],
  ['MySQL', mysql.withEncryption(mysqlProxy(driver), eaas) as never, inMySql as never],
  ['SQLite', sqlite.withEncryption(sqliteProxy(driver), eaas) as never, inSqlite as never],
  [
    'names that Drizzle makes of keys',
    open({ casing: 'snake_case' }),
    pgTable('twins', { id: text(), firstName: text() }) as never,
  ],
])('a plain definition is refused: %s', (_, db, table) => {
  test.each(statements)('%s', async (_, run) => {
    const refused = { code: 'not_decrypted', table: 'twins', column: 'first_name' };
    await expect((async () => run(db, table))()).rejects.toMatchObject(refused);
    expect(sent).toEqual([]);
  });
});

describe.each<[string, Database, typeof twin]>([
  ['in another schema', open(), pgSchema('archive').table('twins', plainly) as never],
  ['of another name', open(), pgTable('others', plainly) as never],
])('a plain table is used as it is: %s', (_, db, table) => {
  test.each(statements)('%s', async (_, run) => {
    await run(db, table);
    expect(sent).toHaveLength(1);
  });
});

test('an encrypted table with the same name and other columns says itself what it encrypts', async () => {
  const columns = { id: text().primaryKey(), name: text('first_name'), note: pg.encrypted(field.text()) };
  await open().insert(pg.encryptedTable('twins', columns)).values({ id: 'a', name: 'Ada', note: 'x' });
  expect(sent).toHaveLength(1);
});
