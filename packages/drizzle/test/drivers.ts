// The drivers of the databases, which only these tests install, and the databases that they open and close again.
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase } from '@eaas/test-kit/database';
import { requireTools } from '@eaas/test-kit/tools';
import { type MariaDb, startMariaDb } from './mariadb.ts';
import type { PostgresDatabase } from './tables.ts';

export async function requireDrivers(): Promise<NodeJS.Require> {
  return createRequire(join(await requireTools('test/tools/drizzle'), 'index.js'));
}

type Rows = Record<string, string | null>[];

interface Client {
  execute(statement: string): Promise<{ rows: Rows }>;
  query(statement: string): Promise<{ rows: Rows } & [Rows]>;
  end(): Promise<void>;
  close(): void;
}

export interface Opened {
  /** Runs SQL without Drizzle. */
  readonly sql: (statement: string) => Promise<Rows>;
  readonly drizzle: (options?: object) => PostgresDatabase;
  /** Drizzle's function that runs the files of drizzle-kit. */
  readonly migrate: (plain: object, options: object) => Promise<void>;
  /** With these, drizzle-kit finds the database. */
  readonly credentials: object;
}

async function opened(name: string, client: Client, credentials: object): Promise<Omit<Opened, 'sql'>> {
  const drivers = await requireDrivers();
  type Drizzle = (client: Client, options?: object) => PostgresDatabase;
  const { drizzle } = drivers(`drizzle-orm/${name}`) as { drizzle: Drizzle };
  const { migrate } = drivers(`drizzle-orm/${name}/migrator`) as Pick<Opened, 'migrate'>;
  return { drizzle: (options) => drizzle(client, options), migrate, credentials };
}

export async function openSqlite(): Promise<Opened> {
  const { createClient } = (await requireDrivers())('@libsql/client') as {
    createClient: (of: object) => Client;
  };
  // Uses a file, because libsql opens the database again for a transaction and would lose a database in memory.
  const credentials = { url: `file:${join(mkdtempSync(join(tmpdir(), 'eaas-drizzle-')), 'test.db')}` };
  const client = await closing(createClient(credentials), (it) => it.close());
  const sql: Opened['sql'] = async (statement) => (await client.execute(statement)).rows;
  return { ...(await opened('libsql', client, credentials)), sql };
}

export async function openNodePostgres(
  existing?: Awaited<ReturnType<typeof createDatabase>>,
): Promise<Opened> {
  const { Pool } = (await requireDrivers())('pg') as { Pool: new (options: object) => Client };
  const { host, port, database, username: user } = (existing ?? (await createDatabase())).connection('owner');
  const credentials = { host, port, database, user, ssl: false };
  const pool = await closing(new Pool({ ...credentials, max: 2 }), (it) => it.end());
  const sql: Opened['sql'] = async (statement) => (await pool.query(statement)).rows;
  return { ...(await opened('node-postgres', pool, credentials)), sql };
}

export const openServer = async (): Promise<MariaDb> => closing(startMariaDb(), (it) => it.stop());

export async function openMySql({ socket }: MariaDb, database = 'test'): Promise<Opened> {
  const drivers = await requireDrivers();
  const { createPool } = drivers('mysql2/promise') as { createPool: (url: string) => Client };
  const url = `mysql://root@localhost/${database}?socketPath=${encodeURIComponent(socket)}`;
  const pool = await closing(createPool(url), (it) => it.end());
  const sql: Opened['sql'] = async (statement) => (await pool.query(statement))[0];
  return { ...(await opened('mysql2', pool, { url })), sql };
}
