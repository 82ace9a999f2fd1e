// Starts and stops PostgreSQL: creates its data directory, and waits until it is ready.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, type FileHandle, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { syncDirectory } from '@eaas/server/internal';
import type { PostgresBinaries } from './binaries.ts';
import {
  type Account,
  commandLine,
  environment,
  giveTo,
  isForeign,
  letThrough,
  lockConflict,
  locking,
  postgresAccount,
  runs,
  socketPort,
  under,
} from './command-line.ts';

// The longest path of a Unix socket on macOS is 104 bytes, including the zero byte at the end. Linux allows 108 bytes.
const longestSocketPath = 103;
const fastShutdownWithin = 30_000;
const longestLog = 10 * 1024 * 1024;

export interface LaunchOptions {
  readonly binaries: PostgresBinaries;
  readonly dataDirectory: string;
  readonly durable: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  readonly readyWithin?: number;
}

export type RunningPostgres = Awaited<ReturnType<typeof launchPostgres>>;

export class DataDirectoryInUse extends Error {}

export async function launchPostgres(options: LaunchOptions) {
  const { binaries, dataDirectory, durable, settings = {}, readyWithin = 120_000 } = options;
  const account = await postgresAccount();
  await letThrough(account, dirname(dataDirectory));
  await initialise(binaries, { account, dataDirectory, durable });
  await takeOver(account, dataDirectory);

  const log = await openLog(account, dataDirectory);
  const socketDirectory = await makeSocketDirectory(account);
  const { postgres } = binaries;
  const command = await commandLine({ account, postgres, dataDirectory, socketDirectory, durable, settings });
  const [program = '', ...args] = command;
  // PostgreSQL gets a separate process group. In the server's process group, Ctrl-C would stop PostgreSQL before the
  // last request has ended.
  const child = spawn(program, args, {
    ...account.ids,
    cwd: '/',
    env: environment,
    detached: true,
    stdio: ['ignore', log.file.fd, log.file.fd],
  });
  const exited = once(child, 'exit');
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= shutDown(child, exited, socketDirectory));
  try {
    await Promise.race([exited, readiness(child, dataDirectory, readyWithin)]);
    if (!isRunning(child)) throw new Error('It ended.');
  } catch (cause) {
    await stop();
    throw failure(child, dataDirectory, await log.lastLines(), cause as Error);
  } finally {
    await log.file.close();
  }
  child.unref();
  await removeUnfinished(dataDirectory);
  const asNobody = account.ids.uid !== undefined;
  return { socketDirectory, port: socketPort, pid: child.pid ?? 0, asNobody, stop };
}

async function takeOver(account: Account, dataDirectory: string): Promise<void> {
  if (!(await isForeign(account, dataDirectory))) return;
  const lock = await locking(dataDirectory);
  if (lock.length > 0 && !(await runs([...lock, 'true']))) throw inUse(dataDirectory);
  await giveTo(account, dataDirectory);
}

function inUse(dataDirectory: string, cause?: unknown): DataDirectoryInUse {
  return new DataDirectoryInUse(`Another PostgreSQL already runs on ${dataDirectory}.`, { cause });
}

async function openLog(
  { ids: { uid, gid } }: Account,
  dataDirectory: string,
): Promise<{ file: FileHandle; lastLines: () => Promise<string> }> {
  const path = join(dataDirectory, 'postgres.log');
  const file = await open(path, 'a', 0o600);
  if (uid !== undefined && gid !== undefined) await file.chown(uid, gid);
  if ((await file.stat()).size > longestLog) await file.truncate();
  const { size: before } = await file.stat();
  const lastLines = async (): Promise<string> =>
    (await readFile(path)).subarray(before).toString().trim().split('\n').slice(-12).join('\n');
  return { file, lastLines };
}

async function makeSocketDirectory({ ids: { uid, gid } }: Account): Promise<string> {
  const fits = join(tmpdir(), 'eaas-XXXXXX', `.s.PGSQL.${socketPort}`).length <= longestSocketPath;
  const directory = await mkdtemp(join(fits ? tmpdir() : '/tmp', 'eaas-'));
  if (uid !== undefined && gid !== undefined) await chown(directory, uid, gid);
  return directory;
}

async function readiness(child: ChildProcess, dataDirectory: string, within: number): Promise<void> {
  const deadline = Date.now() + within;
  while (isRunning(child)) {
    if (Date.now() > deadline) throw new Error(`PostgreSQL was not ready after ${within / 1000} seconds.`);
    const lines = (await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return;
    await sleep(10);
  }
}

async function shutDown(child: ChildProcess, exited: Promise<unknown>, sockets: string): Promise<void> {
  if (isRunning(child)) {
    child.ref();
    child.kill('SIGINT');
    const immediately = setTimeout(() => child.kill('SIGQUIT'), fastShutdownWithin);
    await exited;
    clearTimeout(immediately);
  }
  await rm(sockets, { recursive: true, force: true });
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

function failure(child: ChildProcess, dataDirectory: string, lines: string, cause: Error): Error {
  const conflict = /lock file "postmaster.pid" already exists|pre-existing shared memory block/;
  if (child.exitCode === lockConflict || conflict.test(lines)) return inUse(dataDirectory, cause);
  const message = `PostgreSQL did not start on ${dataDirectory}. ${cause.message}\n${lines}`;
  return new Error(message.trim(), { cause });
}

/** Creates the database in a temporary directory, so that `dataDirectory` never has partial data. */
async function initialise(
  { initdb }: PostgresBinaries,
  { account, dataDirectory, durable }: { account: Account; dataDirectory: string; durable: boolean },
): Promise<void> {
  const isDone = (): boolean => existsSync(join(dataDirectory, 'PG_VERSION'));
  if (isDone()) return;
  const temporary = await mkdtemp(unfinishedPrefix(dataDirectory));
  try {
    await giveTo(account, temporary);
    const [program = '', ...args] = [...(await under(account)), initdb, ...options(temporary, durable)];
    await promisify(execFile)(program, args, { ...account.ids, cwd: '/', env: environment });
    await rename(temporary, dataDirectory);
    await syncDirectory(dirname(dataDirectory));
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true });
    if (isDone()) return;
    const output = (cause as { stderr?: string }).stderr?.trim() ?? '';
    throw new Error(`initdb could not create a database in ${dataDirectory}. ${output}`, { cause });
  }
}

/**
 * Removes the temporary directories of interrupted starts. Call this only after PostgreSQL runs on the data directory.
 * Before that, another process might still be creating the database in its temporary directory.
 */
async function removeUnfinished(dataDirectory: string): Promise<void> {
  const prefix = unfinishedPrefix(dataDirectory);
  for (const name of await readdir(dirname(prefix))) {
    if (!name.startsWith(basename(prefix))) continue;
    // `rm` can fail, because initdb might still write files after the process that started initdb was killed. The next
    // start removes these files.
    await rm(join(dirname(prefix), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function unfinishedPrefix(dataDirectory: string): string {
  return `${dataDirectory}.unfinished-`;
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
