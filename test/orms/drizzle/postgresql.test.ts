import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { encrypted } from '@eaas/drizzle/pg';
import { afterAll, expect, test } from 'vitest';
import { createDatabase } from '../../setup/database.ts';
import { createClient } from './client.ts';
import { pageOf } from './matrix.ts';
import { expectParts, tableOfPeople } from './parts.ts';
import { people, postgresTables } from './postgresql.ts';

const database = await createDatabase();
const connection = postgres({ ...database.connection('owner'), max: 2 });
afterAll(async () => {
  await connection.end();
  await database.drop();
});

test('every operation of Drizzle on PostgreSQL works or throws, and stores no plaintext in an encrypted column', async () => {
  await connection.unsafe(`
    create table samples (
      id uuid primary key, city text, code text, code_index text unique,
      text text, text_index text, note text, number text, number_index text, bigint text, bigint_index text,
      boolean text, boolean_index text, date text, date_index text, bytes text, json text
    );
    create table children (id uuid primary key, parent_id uuid, remark text)`);
  const { eaas, index } = await createClient();
  const db = encrypted(drizzle(connection, { schema: postgresTables }), eaas, { index });
  const page = await pageOf({
    name: 'PostgreSQL',
    place: { db, ...postgresTables, raw: async (statement) => db.execute(statement) },
    sql: async (statement) => [...(await connection.unsafe(statement))],
  });
  await connection.unsafe(tableOfPeople('uuid', 'text'));
  await expectParts(db, people, async () => connection`select * from people order by id`);
  await expect(page).toMatchFileSnapshot('../../../packages/drizzle/docs/postgresql.md');
}, 300_000);
