import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as libsql from 'drizzle-orm/libsql';
import { encrypted } from '@eaas/drizzle/sqlite';
import { migrate } from '@eaas/migrate';
import { defineFields, plaintext, text } from '@eaas/sdk/fields';
import { expect, test } from 'vitest';
import { createClient } from '@eaas/test-kit/orms/client';
import { requireDrivers } from './drivers.ts';
import { expectExisting, tableOfMembers } from './existing.ts';
import { outcomesOf, promisedTo } from './matrix.ts';
import type { Place } from './place.ts';
import { expectParts, tableOfPeople } from './parts.ts';
import { expectSubjects, tableOfNotes } from './subjects.ts';
import { members, notes, people, sqliteTables } from './sqlite.ts';

interface Driver {
  execute(statement: string): Promise<{ rows: Record<string, string | null>[] }>;
  close(): void;
}

test('no operation of Drizzle on SQLite stores plaintext in an encrypted column', async () => {
  const drivers = await requireDrivers();
  const sqlite = drivers('@libsql/client') as { createClient(options: object): Driver };
  const { drizzle } = drivers('drizzle-orm/libsql') as typeof libsql;
  // Uses a file, because libsql opens the database again for a transaction and would lose a database in memory.
  const connection = sqlite.createClient({
    url: `file:${join(mkdtempSync(join(tmpdir(), 'eaas-drizzle-')), 'test.db')}`,
  });
  await connection.execute(`create table samples (
    id text primary key, city text, code text, code_index text unique,
    text text, text_index text, note text, number text, number_index text, bigint text, bigint_index text,
    boolean text, boolean_index text, date text, date_index text, bytes text, json text
  )`);
  await connection.execute('create table children (id text primary key, parent_id text, remark text)');
  const { eaas, index } = await createClient();
  const plain = drizzle(connection as never, { schema: sqliteTables });
  const db = encrypted(plain, eaas, { index });
  const place = { db, ...sqliteTables, raw: async (statement: never) => db.all(statement) };
  const outcomes = await outcomesOf({
    name: 'SQLite',
    place: place as unknown as Place,
    sql: async (statement) => (await connection.execute(statement)).rows,
  });
  await connection.execute(tableOfPeople('text', 'text'));
  const stored = async () => (await connection.execute('select * from people order by id')).rows;
  await expectParts(place.db as never, people as never, stored);
  await connection.execute(tableOfNotes('text', 'text'));
  const ofNotes = async () => (await connection.execute('select * from notes order by id')).rows;
  await expectSubjects(place.db as never, { notes, people } as never, eaas, ofNotes);
  await connection.execute(tableOfMembers('text', 'text', 'text'));
  await expectExisting({
    plain,
    method: 'all',
    sql: async (statement) => connection.execute(statement),
    stored: async () => (await connection.execute('select * from members order by id')).rows,
    opened: async () => (await db.select().from(members)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    rotate: () => eaas.keys.rotate({ key_id: String(eaas.keyId) }),
    migrate: (database, mode) =>
      migrate(encrypted(database, eaas, { index }), members, mode, { client: eaas, pageSize: 3 }),
  });
  connection.close();
  expect(outcomes).toEqual(promisedTo('SQLite'));
});

test.each([
  ['id text primary key, email text, email_index text', true],
  ['id int not null unique, email text, email_index text', true],
  ['id int unique, email text, email_index text', false],
  ['id int not null, email text, email_index text', false],
  ['id int, email text, email_index text, primary key (id, email)', false],
  ['id int not null, email text, email_index text, unique (id, email)', false],
])('a table of SQLite with `%s` has ids to page by: %s', async (columns, isUnique) => {
  const drivers = await requireDrivers();
  const sqlite = drivers('@libsql/client') as {
    createClient(options: object): { execute(statement: object): Promise<{ rows: unknown[] }> };
  };
  const connection = sqlite.createClient({ url: ':memory:' });
  await connection.execute({ sql: `create table members (${columns})` });
  const { eaas, index } = await createClient();
  const fields = defineFields({ members: { email: text({ previous: plaintext() }).searchable() } });
  const query = async (sql: string, args: string[]) => connection.execute({ sql, args });
  const run = migrate({ dialect: 'sqlite', query }, 'members', 'encrypt', { client: eaas, fields, index });
  const outcome = await run.then(
    ({ done }) => String(done),
    (error: Error) => error.message,
  );
  expect(outcome).toMatch(isUnique ? 'true' : 'the column `members.id` must be unique and not null');
});
