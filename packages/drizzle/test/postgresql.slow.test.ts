import type * as nodePostgres from 'drizzle-orm/node-postgres';
import { getTableConfig } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/postgres-js';
import * as pg from '@eaas/drizzle/pg';
import { expect, test } from 'vitest';
import { outcomesIn } from './dialect.ts';
import { requireDrivers } from './drivers.ts';
import { promisedTo } from './matrix.ts';
import { openPostgres } from './postgres.ts';
import { tables } from './tables.ts';

const { database, connection } = await openPostgres();

interface Pool {
  end(): Promise<void>;
}

async function openNodePostgres(): Promise<{ plain: object; close: () => Promise<void> }> {
  const drivers = await requireDrivers();
  const { Pool } = drivers('pg') as { Pool: new (options: object) => Pool };
  const { drizzle } = drivers('drizzle-orm/node-postgres') as typeof nodePostgres;
  const { host, port, database: name, username: user } = database.connection('owner');
  const pool = new Pool({ host, port, database: name, user, max: 2 });
  return { plain: drizzle(pool as never, { schema: tables.PostgreSQL }), close: () => pool.end() };
}

test.each(['postgres', 'pg'])(
  'every operation of Drizzle works or throws with the driver %s',
  async (driver) => {
    await connection`drop table if exists samples, children, people, members, notes`;
    const own = { plain: drizzle(connection, { schema: tables.PostgreSQL }), close: async () => {} };
    const { plain, close } = driver === 'pg' ? await openNodePostgres() : own;
    const outcomes = await outcomesIn({
      name: 'PostgreSQL',
      plain,
      sql: async (statement) => [...(await connection.unsafe(statement))],
      dialect: { ...pg, getTableConfig },
    });
    expect(outcomes).toEqual(promisedTo('PostgreSQL'));
    await close();
  },
);
