import { eq, sql } from 'drizzle-orm';
import { customType, getTableConfig, serial } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import * as pg from '@eaas/drizzle/pg';
import { field } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { expect, test } from 'vitest';
import { outcomesIn } from './dialect.ts';
import { openNodePostgres } from './drivers.ts';
import { testMigrations } from './migrations.ts';
import { openPostgres } from './postgres.ts';

const { database, connection } = await openPostgres();

test.each(['postgres', 'pg'])(
  'every operation of Drizzle works or throws with the driver %s',
  async (driver) => {
    const sql = async (statement: string) => [...(await connection.unsafe(statement))];
    await sql('drop table if exists samples, children, people, members, notes, accounts');
    const { drizzle: open } = await openNodePostgres(database);
    const outcomes = await outcomesIn({
      name: 'PostgreSQL',
      open: (schema) => (driver === 'pg' ? open({ schema }) : drizzle(connection, { schema: { ...schema } })),
      sql,
      dialect: { ...pg, getTableConfig },
    });
    await expect(outcomes).toMatchFileSnapshot('./outcomes/PostgreSQL.json');
  },
);

test('for a `citext` id in another letter case, an update and an upsert find the row', async () => {
  const id = customType<{ data: string }>({ dataType: () => 'citext' })().primaryKey();
  const logins = pg.encryptedTable('logins', { id, name: pg.encrypted(field.text()) });
  await connection`create extension citext`;
  await connection`create table logins (id citext primary key, name text)`;
  const { eaas } = await createClient();
  const db = pg.withEncryption(drizzle(connection), eaas);
  await db.insert(logins).values({ id: 'Ada', name: 'created' });
  await db.update(logins).set({ name: 'updated' }).where(eq(logins.id, 'ADA'));
  expect(await db.select().from(logins)).toEqual([{ id: 'Ada', name: 'updated' }]);
  const insert = db.insert(logins).values({ id: 'ADA', name: 'inserted' });
  await insert.onConflictDoUpdate({ target: logins.id, set: { name: pg.excluded(logins.name) } });
  expect(await db.select().from(logins)).toEqual([{ id: 'Ada', name: 'inserted' }]);
  const found = db.select({ n: sql`count(logins.name)::int`, isNull: sql`max(id) is null` }).from(logins);
  expect(await found).toEqual([{ n: 1, isNull: false }]);
});

test('rows that PostgreSQL numbers are read as they were written', async () => {
  await connection`create table "Rows" (id serial primary key, name text)`;
  const rows = pg.encryptedTable('Rows', { id: serial().primaryKey(), name: pg.encrypted(field.text()) });
  const { eaas } = await createClient();
  const db = pg.withEncryption(drizzle(connection), eaas);
  await db.insert(rows).values([{ name: 'Eve' }, { name: null }, { name: 'Joy' }]);
  expect((await db.select().from(rows)).map(({ name }) => name)).toEqual(['Eve', null, 'Joy']);
});

testMigrations('PostgreSQL', ['generate', 'push'], openNodePostgres, pg.withEncryption);
