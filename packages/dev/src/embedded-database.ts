// One PostgreSQL for all processes on a data directory: whoever finds none starts it, and the last one stops it.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Purpose } from '@eaas/server/internal';
import postgres, { type Sql } from 'postgres';
import { postgresAccount } from './account.ts';
import { embeddedBinaries } from './binaries.ts';
import { DataDirectoryInUse, launchPostgres, readPostmaster, socketPort, stopPostgres } from './launch.ts';

const database = 'eaas';

/** Advisory locks of PostgreSQL. It frees those of a process when the process ends, even by SIGKILL. */
const locks = { use: 1, serve: 2, prepare: 3 } as const;

type EmbeddedDatabase = NonNullable<Awaited<ReturnType<typeof enter>>>;

/** Starts PostgreSQL, or uses the one that runs, even if all processes that used it were killed. */
export async function startEmbeddedDatabase(
  directory: string,
  purpose: Purpose,
  waitAtMost = 60_000,
): Promise<EmbeddedDatabase> {
  if (purpose === 'serve' && (await postgresAccount()).ids.uid !== undefined) {
    process.stderr.write(`${sharedAccount}\n`);
  }
  const dataDirectory = join(directory, 'postgres');
  const binaries = await embeddedBinaries();
  for (const deadline = Date.now() + waitAtMost; ; await sleep(100)) {
    const found = await enter(directory, dataDirectory, purpose);
    if (found) return found;
    await launchPostgres({ binaries, dataDirectory, durable: true }).catch((error: unknown) => {
      // Another process starts or stops PostgreSQL.
      if (!(error instanceof DataDirectoryInUse) || Date.now() > deadline) throw error;
    });
  }
}

/** Returns nothing if no PostgreSQL is ready, or if the last process that used it stops it. */
async function enter(directory: string, dataDirectory: string, purpose: Purpose) {
  const { pid, socketDirectory, isReady } = await readPostmaster(dataDirectory);
  if (!isReady) return undefined;
  const address = { host: socketDirectory, port: socketPort };
  const superuser = { ...address, database: 'postgres', username: 'postgres' };
  // The locks belong to the connection, so it must last.
  let isUsed = false;
  const onclose = (): void => {
    if (isUsed) process.stderr.write(`${ended(dataDirectory)}\n`);
  };
  const sql = postgres({ ...superuser, max: 1, max_lifetime: null, onnotice: () => {}, onclose });
  const close = async (): Promise<void> => {
    isUsed = false;
    if (await gets(sql`select pg_try_advisory_lock(${locks.use}) as got`)) {
      await stopPostgres(dataDirectory, pid);
    }
    await sql.end({ timeout: 1 });
  };
  if (!(await gets(sql`select pg_try_advisory_lock_shared(${locks.use}) as got`))) {
    await sql.end({ timeout: 1 });
    return undefined;
  }
  try {
    if (purpose === 'serve' && !(await gets(sql`select pg_try_advisory_lock(${locks.serve}) as got`))) {
      throw new Error(alreadyServed(directory));
    }
    await sql`select pg_advisory_lock(${locks.prepare})`;
    await ensureRoles(sql);
    await ensureOwnedDatabase(sql, database);
    await sql`select pg_advisory_unlock(${locks.prepare})`;
  } catch (error) {
    await close();
    throw error;
  }
  isUsed = true;
  const connection = (role: keyof typeof ROLES) => ({ ...address, database, username: ROLES[role] });
  return { connection, serverRole: ROLES.server, close };
}

/** Whether the query got its lock. Without a connection, it did not. */
const gets = (query: PromiseLike<Iterable<postgres.Row>>): Promise<boolean> =>
  Promise.resolve(query).then(
    ([row]) => row?.['got'] === true,
    () => false,
  );

const alreadyServed = (directory: string): string =>
  `Another process already serves the data directory ${directory}. Use that server, or stop it before you start another. ` +
  'To run several replicas, set EAAS_DATABASE_URL to one PostgreSQL server for all replicas.';

const ended = (dataDirectory: string): string =>
  `PostgreSQL ended, and ${join(dataDirectory, 'postgres.log')} says why. Stop this process, and start it again.`;

const sharedAccount =
  'Warning: PostgreSQL runs as the user "nobody", because root cannot create a user namespace here. Any other process of ' +
  'that user can open the database: run the server as a separate user instead of root.';

export const ROLES = { owner: 'eaas_owner', server: 'eaas_server' } as const;

export async function ensureRoles(sql: Sql): Promise<void> {
  for (const role of Object.values(ROLES)) {
    const exists = await sql`select from pg_roles where rolname = ${role}`;
    if (exists.count === 0) await sql`create role ${sql(role)} login`;
  }
}

export async function createOwnedDatabase(sql: Sql, name: string, template = 'template0'): Promise<void> {
  await sql`create database ${sql(name)} owner ${sql(ROLES.owner)} template ${sql(template)}`;
  await restrict(sql, name);
}

export async function ensureOwnedDatabase(sql: Sql, name: string): Promise<void> {
  const exists = await sql`select from pg_database where datname = ${name}`;
  if (exists.count === 0) await createOwnedDatabase(sql, name);
  else await restrict(sql, name);
}

async function restrict(sql: Sql, name: string): Promise<void> {
  await sql`revoke all on database ${sql(name)} from public`;
  await sql`grant connect on database ${sql(name)} to ${sql(ROLES.server)}`;
}
