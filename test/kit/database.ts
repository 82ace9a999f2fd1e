import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';
import { createOwnedDatabase, ROLES } from '../../packages/dev/src/embedded-database.ts';
import { migrate } from '../../packages/server/src/postgres/migrate.ts';
import { openPool } from '../../packages/server/src/postgres/sql.ts';
import { requested } from './on-demand.ts';

export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
  readonly workers?: readonly PostgresAddress[];
  readonly template?: string;
}

type Role = keyof typeof ROLES | 'superuser';

export type TestDatabase = Awaited<ReturnType<typeof createDatabase>>;
type Access = ReturnType<typeof addressIn>;

export interface Template {
  readonly name: string;
  readonly prepare: (access: Access) => Promise<void>;
}

export const migrated: Template = {
  name: 'template_migrated',
  async prepare({ connection }) {
    const owner = openPool(connection('owner'), 1);
    await migrate(owner, ROLES.server);
    await owner.end();
  },
};

declare module 'vitest' {
  interface ProvidedContext {
    postgres?: string;
    citus?: string;
  }
}

let known: Promise<PostgresAddress> | undefined;

export async function createDatabase(template?: Template, given?: Promise<PostgresAddress>) {
  const address = await (given ?? (known ??= requested<PostgresAddress>(inject('postgres'))));
  if (template !== undefined) await withAdmin(address, (sql) => prepareOnce(sql, address, template));
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onEachNode(address, (sql) => createOwnedDatabase(sql, name, template?.name ?? address.template));
  return { name, ...addressIn(address, name), drop: () => onEachNode(address, (sql) => drop(sql, name)) };
}

async function drop(sql: postgres.Sql, name: string): Promise<void> {
  await sql`drop database if exists ${sql(name)} with (force)`;
}

export function addressIn({ host, port }: PostgresAddress, database: string) {
  const username = (role: Role): string => (role === 'superuser' ? 'postgres' : ROLES[role]);
  return {
    connection: (role: Role) => ({ host, port, database, username: username(role) }),
    /** The URL of a Unix socket has a percent-encoded path. postgres.js cannot decode it: pass `connection` instead. */
    url: (role: Role) => `postgres://${username(role)}@${encodeURIComponent(host)}:${port}/${database}`,
  };
}

/** Returns all rows of all tables as text, in which bytes are hexadecimal. */
export async function storedText({ connection }: Access): Promise<string> {
  const sql = postgres({ ...connection('superuser'), max: 1 });
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'eaas'`;
  const rows = await Promise.all(
    tables.map(
      ({ name }) => sql<{ row: string }[]>`select to_jsonb(t)::text as row from eaas.${sql(name)} t`,
    ),
  );
  await sql.end();
  return rows.flatMap((each) => each.map(({ row }) => row)).join('\n');
}

export function environmentOf(url: (role: keyof typeof ROLES) => string) {
  return {
    EAAS_DATABASE_URL: url('server'),
    EAAS_MIGRATE_DATABASE_URL: url('owner'),
    EAAS_ROOT_KEY: randomBytes(32).toString('base64'),
    EAAS_PORT: '0',
  };
}

/** Prepares the database again if an interrupted preparation left `datistemplate` unset. */
async function prepareOnce(
  sql: postgres.Sql,
  address: PostgresAddress,
  { name, prepare }: Template,
): Promise<void> {
  await sql`select pg_advisory_lock(hashtext(${name}))`;
  const ready = await sql`select from pg_database where datname = ${name} and datistemplate`;
  if (ready.count > 0) return;
  await onEachNode(address, async (node) => {
    await drop(node, name);
    await createOwnedDatabase(node, name, address.template);
  });
  await prepare(addressIn(address, name));
  await onEachNode(address, (node) => finishTemplate(node, name));
}

export async function finishTemplate(sql: postgres.Sql, name: string): Promise<void> {
  await sql`alter database ${sql(name)} with is_template true allow_connections false`;
  // Disconnects the maintenance daemon of Citus, because PostgreSQL does not copy a database that has connections.
  await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${name}`;
}

async function onEachNode(
  address: PostgresAddress,
  work: (sql: postgres.Sql) => Promise<void>,
): Promise<void> {
  for (const node of [address, ...(address.workers ?? [])]) await withAdmin(node, work);
}

export async function withAdmin<T>(
  address: PostgresAddress,
  work: (sql: postgres.Sql) => Promise<T>,
  database = 'postgres',
): Promise<T> {
  const { connection } = addressIn(address, database);
  const sql = postgres({ ...connection('superuser'), max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}
