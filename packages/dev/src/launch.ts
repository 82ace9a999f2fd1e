// Starts and stops PostgreSQL: creates its data directory, and waits until it is ready.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { syncDirectory } from '@eaas/server/internal';
import { type Account, environment, giveTo, postgresAccount, runs } from './account.ts';
import type { PostgresBinaries } from './binaries.ts';

const lockConflict = 75;
const fastShutdownWithin = 30_000;

/** PostgreSQL's default port, in the name of its Unix socket. It does not listen on TCP. */
export const socketPort = 5432;

export interface LaunchOptions {
  readonly binaries: PostgresBinaries;
  readonly dataDirectory: string;
  readonly durable: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  readonly readyWithin?: number;
  /** The words before PostgreSQL in its command line. */
  readonly through?: readonly string[];
}

export type RunningPostgres = Awaited<ReturnType<typeof launchPostgres>>;

export class DataDirectoryInUse extends Error {}

/** Starts a PostgreSQL that goes on running if this process ends. */
export async function launchPostgres(options: LaunchOptions) {
  const { binaries, dataDirectory, durable, settings = {}, readyWithin = 120_000, through = [] } = options;
  const account = await postgresAccount();
  // PostgreSQL can then open its directory in this one by name, but its account cannot list this one.
  if (account.ids.uid !== undefined) await chmod(dirname(dataDirectory), 0o711);
  await initialise(binaries, account, dataDirectory, durable);
  // The path of a Unix socket has at most 103 bytes, so it is not in the data directory.
  const socketDirectory = await mkdtemp('/tmp/eaas-');
  await giveTo(account, socketDirectory);
  const values = {
    listen_addresses: '',
    unix_socket_directories: socketDirectory,
    log_timezone: 'UTC',
    timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...settings,
  };
  const [program = '', ...args] = [
    ...account.prefix,
    ...through,
    ...(await locking(dataDirectory)),
    binaries.postgres,
    `-D${dataDirectory}`,
    ...Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const logFile = join(dataDirectory, 'postgres.log');
  const log = await open(logFile, 'w', 0o600);
  // PostgreSQL gets a separate process group. In the server's process group, Ctrl-C would stop PostgreSQL before the
  // last request has ended.
  const child = spawn(program, args, {
    ...account.ids,
    cwd: '/',
    env: environment,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  const exited = once(child, 'exit');
  const { pid = 0 } = child;
  try {
    await Promise.race([exited, readiness(dataDirectory, pid, readyWithin)]);
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('It ended.');
  } catch (cause) {
    child.kill('SIGQUIT');
    await exited.catch(() => undefined);
    await rmdir(socketDirectory).catch(() => undefined);
    const lines = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-12).join('\n');
    const conflict = /lock file "postmaster.pid" already exists|pre-existing shared memory block/;
    if (child.exitCode === lockConflict || conflict.test(lines)) {
      throw new DataDirectoryInUse(`Another PostgreSQL already runs on ${dataDirectory}.`, { cause });
    }
    const { message } = cause as Error;
    throw new Error(`PostgreSQL did not start on ${dataDirectory}. ${message}\n${lines}`.trim(), { cause });
  } finally {
    await log.close();
  }
  child.unref();
  const stop = async (): Promise<void> => {
    await stopPostgres(dataDirectory, pid);
    child.ref();
    await exited;
  };
  return { socketDirectory, port: socketPort, pid, stop };
}

/**
 * Returns the words of the command line that lock the data directory with `flock`, or no words if `flock` is missing.
 * PostgreSQL's own lock cannot detect a server in another container on the same volume.
 */
async function locking(dataDirectory: string): Promise<string[]> {
  // The trial run takes a shared lock. With an exclusive lock, a concurrent trial would fail, and `flock` would seem to
  // be missing.
  const flock = ['flock', '--no-fork', '--nonblock', `--conflict-exit-code=${lockConflict}`];
  const exists = await runs([...flock, '--shared', '/', 'true']);
  return exists ? [...flock, join(dataDirectory, 'postgres.lock')] : [];
}

/** The PostgreSQL that runs on the data directory, or was killed there, as its own file says. */
export async function readPostmaster(dataDirectory: string) {
  const file = await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , , socketDirectory = '', , , status = ''] = file.split('\n');
  return { pid: Number(pid), socketDirectory, isReady: status.trim() === 'ready' };
}

async function readiness(dataDirectory: string, pid: number, within: number): Promise<void> {
  for (const deadline = Date.now() + within; Date.now() < deadline; await sleep(10)) {
    const postmaster = await readPostmaster(dataDirectory);
    if (!signal(pid) || (postmaster.isReady && postmaster.pid === pid)) return;
  }
  throw new Error(`PostgreSQL was not ready after ${within / 1000} seconds.`);
}

/** Stops a PostgreSQL that this process or another has started. */
export async function stopPostgres(dataDirectory: string, pid: number): Promise<void> {
  const { socketDirectory } = await readPostmaster(dataDirectory);
  // PostgreSQL removes its file as it ends. In a container, it can then be a zombie for ever.
  const isThere = async () => (await readPostmaster(dataDirectory)).pid === pid && signal(pid);
  if (await isThere()) signal(pid, 'SIGINT');
  for (const deadline = Date.now() + fastShutdownWithin; await isThere(); await sleep(10)) {
    if (Date.now() > deadline) signal(pid, 'SIGQUIT');
  }
  await rmdir(socketDirectory).catch(() => undefined);
}

/** Sends the signal, by default none. Returns whether the process runs. */
export function signal(pid: number, name: NodeJS.Signals | 0 = 0): boolean {
  try {
    return kill(pid, name);
  } catch {
    return false;
  }
}

/** Creates the database in a temporary directory, so that `dataDirectory` never has partial data. */
async function initialise(
  { initdb }: PostgresBinaries,
  account: Account,
  dataDirectory: string,
  durable: boolean,
): Promise<void> {
  const isDone = (): boolean => existsSync(join(dataDirectory, 'PG_VERSION'));
  if (isDone()) return;
  const parent = dirname(dataDirectory);
  const prefix = `${basename(dataDirectory)}.unfinished-`;
  const temporary = await mkdtemp(join(parent, prefix));
  try {
    await giveTo(account, temporary);
    const [program = '', ...args] = [...account.prefix, initdb, ...options(temporary, durable)];
    await promisify(execFile)(program, args, { ...account.ids, cwd: '/', env: environment });
    await rename(temporary, dataDirectory);
    await syncDirectory(parent);
  } catch (cause) {
    // Another process may have been quicker.
    if (isDone()) return;
    const output = (cause as { stderr?: string }).stderr?.trim() ?? '';
    throw new Error(`initdb could not create a database in ${dataDirectory}. ${output}`, { cause });
  } finally {
    // Also the directories of starts that were killed, where initdb might still write.
    for (const name of (await readdir(parent)).filter((name) => name.startsWith(prefix))) {
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

function options(dataDirectory: string, durable: boolean): string[] {
  return [
    `--pgdata=${dataDirectory}`,
    '--username=postgres',
    '--encoding=UTF8',
    // PostgreSQL sorts text by bytes, so that an upgrade of the system's libraries cannot invalidate an index.
    '--locale=C',
    '--data-checksums',
    // PostgreSQL trusts all connections, because it does not listen on TCP, and the mode of its socket's directory
    // decides who can connect.
    '--auth-local=trust',
    '--auth-host=reject',
    ...(durable ? [] : ['--no-sync']),
  ];
}
