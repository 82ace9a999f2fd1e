// The databases that tests open with drivers that only they install. They are closed after the test.
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase, type TestDatabase } from '@eaas/test-kit/database';
import { type MariaDb, startMariaDb } from '@eaas/test-kit/mariadb';
import { requireTools } from '@eaas/test-kit/tools';
import type { PostgresDatabase } from './tables.ts';

export const drivers = createRequire(join(await requireTools('test/tools/drizzle'), 'index.js'));

type Rows = Record<string, string | null>[];
type Run = (statement: string) => Promise<{ rows: Rows } & [Rows]>;
type Client = Readonly<Record<'execute' | 'query', Run> & Record<'end' | 'close', () => unknown>>;

/** With `credentials`, drizzle-kit finds the database. */
export interface Opened {
  readonly sql: (statement: string) => Promise<Rows>;
  readonly drizzle: (options?: object) => PostgresDatabase;
  readonly migrate: (plain: object, options: object) => Promise<void>;
  readonly credentials: object;
}

function opened(name: string, client: Client, credentials: object): Omit<Opened, 'sql'> {
  type Drizzle = (client: Client, options?: object) => PostgresDatabase;
  const { drizzle } = drivers(`drizzle-orm/${name}`) as { drizzle: Drizzle };
  const { migrate } = drivers(`drizzle-orm/${name}/migrator`) as Opened;
  return { drizzle: (options) => drizzle(client, options), migrate, credentials };
}

export async function openSqlite(): Promise<Opened> {
  const { createClient } = drivers('@libsql/client') as { createClient: (of: object) => Client };
  // Uses a file, because libsql opens the database again for a transaction and would lose a database in memory.
  const credentials = { url: `file:${join(mkdtempSync(join(tmpdir(), 'eaas-drizzle-')), 'test.db')}` };
  const client = await closing(createClient(credentials), (it) => it.close());
  const sql: Opened['sql'] = async (statement) => (await client.execute(statement)).rows;
  return { ...opened('libsql', client, credentials), sql };
}

export async function openNodePostgres(existing?: TestDatabase): Promise<Opened> {
  const { Pool } = drivers('pg') as { Pool: new (options: object) => Client };
  const { host, port, database, username: user } = (existing ?? (await createDatabase())).connection('owner');
  const credentials = { host, port, database, user, ssl: false };
  const pool = await closing(new Pool({ ...credentials, max: 2 }), (it) => it.end());
  const sql: Opened['sql'] = async (statement) => (await pool.query(statement)).rows;
  return { ...opened('node-postgres', pool, credentials), sql };
}

export const openServer = async (): Promise<MariaDb> => closing(startMariaDb(), (it) => it.stop());

export async function openMySql({ socket }: MariaDb): Promise<Opened> {
  const { createPool } = drivers('mysql2/promise') as { createPool: (url: string) => Client };
  const url = `mysql://root@localhost/test?socketPath=${encodeURIComponent(socket)}`;
  const pool = await closing(createPool(url), (it) => it.end());
  const sql: Opened['sql'] = async (statement) => (await pool.query(statement))[0];
  return { ...opened('mysql2', pool, { url }), sql };
}
