import type * as nodePostgres from 'drizzle-orm/node-postgres';
import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { encrypted } from '@eaas/drizzle/pg';
import { migrate } from '@eaas/migrate';
import { afterAll, expect, test } from 'vitest';
import { createDatabase } from '@eaas/test-kit/database';
import { createClient } from '@eaas/test-kit/orms/client';
import { requireDrivers } from './drivers.ts';
import { expectExisting, tableOfMembers } from './existing.ts';
import { outcomesOf, promisedTo } from './matrix.ts';
import { expectParts, tableOfPeople } from './parts.ts';
import { members, notes, people, postgresTables } from './postgresql.ts';
import { expectSubjects, tableOfNotes } from './subjects.ts';

const database = await createDatabase();
const connection = postgres({ ...database.connection('owner'), max: 2 });
afterAll(async () => {
  await connection.end();
  await database.drop();
});

interface Pool {
  end(): Promise<void>;
}

const postgresJs = drizzle(connection, { schema: postgresTables });

async function openNodePostgres(): Promise<{ plain: typeof postgresJs; close: () => Promise<void> }> {
  const drivers = await requireDrivers();
  const pg = drivers('pg') as { Pool: new (options: object) => Pool };
  const { drizzle } = drivers('drizzle-orm/node-postgres') as typeof nodePostgres;
  const { host, port, database: name, username: user } = database.connection('owner');
  const pool = new pg.Pool({ host, port, database: name, user, max: 2 });
  const plain = drizzle(pool as never, { schema: postgresTables });
  return { plain, close: () => pool.end() };
}

test.each(['postgres', 'pg'])(
  'every operation of Drizzle works or throws with the driver %s',
  async (driver) => {
    await connection.unsafe(`
    drop table if exists samples, children, people, members, notes;
    create table samples (
      id uuid primary key, city text, code text, code_index text unique,
      text text, text_index text, note text, number text, number_index text, bigint text, bigint_index text,
      boolean text, boolean_index text, date text, date_index text, bytes text, json text
    );
    create table children (id uuid primary key, parent_id uuid, remark text)`);
    const { eaas, index } = await createClient();
    const { plain, close } =
      driver === 'pg' ? await openNodePostgres() : { plain: postgresJs, close: undefined };
    const db = encrypted(plain, eaas, { index });
    const outcomes = await outcomesOf({
      name: 'PostgreSQL',
      place: { db, ...postgresTables, raw: async (statement) => db.execute(statement) },
      sql: async (statement) => [...(await connection.unsafe(statement))],
    });
    await connection.unsafe(tableOfPeople('uuid', 'text'));
    await expectParts(db, people, async () => connection`select * from people order by id`);
    await connection.unsafe(tableOfNotes('uuid', 'text'));
    const ofNotes = async () => connection`select * from notes order by id`;
    await expectSubjects(db, { notes, people }, eaas, ofNotes);
    await connection.unsafe(tableOfMembers('text', 'text', 'text'));
    await expectExisting({
      plain,
      method: 'execute',
      sql: async (statement) => connection.unsafe(statement),
      stored: async () => connection`select * from members order by id`,
      opened: async () => (await db.select().from(members)).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      rotate: () => eaas.keys.rotate({ key_id: String(eaas.keyId) }),
      migrate: (database, mode) =>
        migrate(encrypted(database, eaas, { index }), members, mode, { client: eaas, pageSize: 3 }),
    });
    await close?.();
    expect(outcomes).toEqual(promisedTo('PostgreSQL'));
  },
);
