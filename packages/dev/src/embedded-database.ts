// One PostgreSQL for all processes on a data directory: the first runs it, the others share it or wait.
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import type { Sql } from 'postgres';
import { embeddedBinaries } from './binaries.ts';
import { socketPort } from './command-line.ts';
import { DataDirectoryInUse, launchPostgres, type RunningPostgres } from './launch.ts';
import { isAlive, type Owner, type Purpose, readOwner, writeOwner } from './owner.ts';

const database = 'eaas';
const retryEvery = 200;
const noteAfter = 1000;

type EmbeddedDatabase = ReturnType<typeof databaseAt>;

export async function startEmbeddedDatabase(
  directory: string,
  purpose: Purpose,
  {
    note = (sentence) => void process.stderr.write(`${sentence}\n`),
    waitAtMost = 60_000,
  }: { note?: (sentence: string) => void; waitAtMost?: number } = {},
): Promise<EmbeddedDatabase> {
  const start = Date.now();
  let noted = false;
  for (;;) {
    const owner = await readOwner(ownerFile(directory));
    const alive = owner !== undefined && (await isAlive(owner));
    const found = alive ? await share(directory, purpose, owner) : await own(directory, purpose, owner, note);
    if (found !== undefined) return found;

    const holder = alive ? `process ${owner.pid}` : await postgresProcess(directory);
    const waited = Date.now() - start;
    if (waited > waitAtMost) {
      const limit = `${Math.round(waited / 1000)} seconds`;
      throw new Error(
        `The data directory ${directory} is in use by ${holder} and did not become free within ${limit}.`,
      );
    }
    if (waited > noteAfter && !noted) {
      note(`Waiting for ${holder} to finish with the data directory ${directory}.`);
      noted = true;
    }
    await sleep(retryEvery);
  }
}

async function share(
  directory: string,
  purpose: Purpose,
  owner: Owner,
): Promise<EmbeddedDatabase | undefined> {
  if (owner.purpose !== 'serve') return undefined;
  if (purpose === 'serve') {
    throw new Error(
      `The process ${owner.pid} already serves the data directory ${directory}. Use that server, or stop it before you start another. ` +
        'To run several replicas, set EAAS_DATABASE_URL to one PostgreSQL server for all replicas.',
    );
  }
  return (await accepts(owner)) ? databaseAt(owner, () => Promise.resolve()) : undefined;
}

async function own(
  directory: string,
  purpose: Purpose,
  former: Owner | undefined,
  note: (sentence: string) => void,
): Promise<EmbeddedDatabase | undefined> {
  // On some systems, PostgreSQL keeps running after the process that started it was killed. Such a PostgreSQL is
  // stopped here.
  if (former && (await isAlive(former.postgres))) kill(former.postgres.pid, 'SIGINT');
  const dataDirectory = join(directory, 'postgres');
  const binaries = await embeddedBinaries();
  const running = await launchPostgres({ binaries, dataDirectory, durable: true }).catch((error: unknown) => {
    if (error instanceof DataDirectoryInUse) return undefined;
    throw error;
  });
  if (running === undefined) return undefined;
  try {
    if (former && basename(former.socketDirectory).startsWith('eaas-')) {
      await rm(former.socketDirectory, { recursive: true, force: true });
    }
    await prepare(running);
    await writeOwner(ownerFile(directory), purpose, running);
  } catch (error) {
    await running.stop();
    throw error;
  }
  if (running.asNobody && purpose === 'serve') note(sharedAccount);
  // The owner file is removed before PostgreSQL stops, so that no command connects to a PostgreSQL that is stopping.
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= rm(ownerFile(directory), { force: true }).then(() => running.stop()));
  return databaseAt(running, close);
}

const sharedAccount =
  'Warning: PostgreSQL runs as the user "nobody", because root cannot create a user namespace here. Any other process of ' +
  'that user can open the database: run the server as a separate user instead of root.';

async function prepare({ socketDirectory: host, port }: RunningPostgres): Promise<void> {
  const sql = postgres({ host, port, database: 'postgres', username: 'postgres', max: 1 });
  try {
    await ensureRoles(sql);
    await ensureOwnedDatabase(sql, database);
  } finally {
    await sql.end();
  }
}

async function accepts({ socketDirectory }: Owner): Promise<boolean> {
  const socket = connect(join(socketDirectory, `.s.PGSQL.${socketPort}`));
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

function databaseAt({ socketDirectory: host }: Pick<Owner, 'socketDirectory'>, close: () => Promise<void>) {
  const connection = (role: keyof typeof ROLES) => ({
    host,
    port: socketPort,
    database,
    username: ROLES[role],
  });
  return { connection, serverRole: ROLES.server, close };
}

async function postgresProcess(directory: string): Promise<string> {
  const lock = await readFile(join(directory, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid] = lock.split('\n');
  return pid ? `the PostgreSQL of process ${pid}` : 'another process';
}

function ownerFile(directory: string): string {
  return join(directory, 'owner.json');
}

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
