import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import type { Connection } from '../../packages/server/src/embedded/connection.ts';
import { createOwnedDatabase, ROLES } from '../../packages/server/src/embedded/cluster.ts';

/** A database of one test file. */
export interface TestDatabase {
  name: string;
  /** Options for postgres.js. */
  connection: (role: Role) => Connection;
  /** The same as DATABASE_URL takes it. For postgres.js itself use `connection`: it knows no sockets in URLs. */
  url: (role: Role) => string;
  drop: () => Promise<void>;
}

/** What many test files start from: `prepare` runs once a run, on an empty database, as its owner. */
export interface Template {
  name: string;
  prepare: (connections: Pick<TestDatabase, 'connection' | 'url'>) => Promise<void>;
}

type Role = keyof typeof ROLES | 'superuser';

/** A fresh database: empty, or a copy of a template. Drop it when the file's tests are over. */
export async function createDatabase(template?: Template): Promise<TestDatabase> {
  if (template !== undefined) await withAdmin((sql) => prepareOnce(sql, template));
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withAdmin((sql) => createOwnedDatabase(sql, name, template?.name));
  return {
    name,
    ...connections(name),
    drop: () => withAdmin(async (sql) => void (await sql`drop database if exists ${sql(name)} with (force)`)),
  };
}

/** A template is marked as such when it is ready: one that was left half prepared is made anew. */
async function prepareOnce(sql: postgres.Sql, { name, prepare }: Template): Promise<void> {
  await sql`select pg_advisory_lock(hashtext(${name}))`;
  const ready = await sql`select from pg_database where datname = ${name} and datistemplate`;
  if (ready.count > 0) return;
  await sql`drop database if exists ${sql(name)} with (force)`;
  await createOwnedDatabase(sql, name);
  await prepare(connections(name));
  await sql`alter database ${sql(name)} with is_template true allow_connections false`;
}

function connections(database: string): Pick<TestDatabase, 'connection' | 'url'> {
  const { host, port } = inject('postgres');
  const username = (role: Role): string => (role === 'superuser' ? 'postgres' : ROLES[role]);
  return {
    connection: (role) => ({ host, port, database, username: username(role) }),
    url: (role) => `postgres://${username(role)}@${encodeURIComponent(host)}:${port}/${database}`,
  };
}

/** One connection as superuser: an advisory lock taken on it ends with it. */
async function withAdmin<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres({ ...connections('postgres').connection('superuser'), max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}
