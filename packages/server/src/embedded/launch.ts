import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { belongsTo, ENVIRONMENT, giveTo, letThrough, postgresAccount, type Account } from './account.ts';
import type { PostgresBinaries } from './binaries.ts';
import { commandLine, isUnlocked, LOCK_CONFLICT, PORT } from './command-line.ts';
import { initialise, removeUnfinished } from './initialise.ts';
import { openLog } from './log-file.ts';

// The address of a Unix socket has 104 bytes on macOS and 108 on Linux, the last one zero.
const LONGEST_SOCKET_PATH = 103;
const FAST_SHUTDOWN_WITHIN = 30_000;

/** What to start. `durable: false` trades every guarantee after a crash for speed; `settings` go to `postgres -c`. */
export interface LaunchOptions {
  binaries: PostgresBinaries;
  dataDirectory: string;
  durable: boolean;
  settings?: Record<string, string>;
  readyWithin?: number;
}

/** A PostgreSQL that accepts connections of this process's user, as any role, on a Unix socket only. */
export interface RunningPostgres {
  socketDirectory: string;
  port: number;
  pid: number;
  /** Shuts PostgreSQL down cleanly, closing its connections, and waits for it. May be called again. */
  stop: () => Promise<void>;
}

/** Thrown by `launchPostgres` when another PostgreSQL runs on the same data directory. */
export class DataDirectoryInUse extends Error {}

/**
 * Starts PostgreSQL on a data directory, which is made when it does not exist, and waits until it accepts connections.
 * It does not keep this process alive, and where the system can do that, it ends with it however that ends.
 */
export async function launchPostgres(options: LaunchOptions): Promise<RunningPostgres> {
  const { binaries, dataDirectory, durable, settings = {}, readyWithin = 120_000 } = options;
  const account = await postgresAccount();
  await letThrough(account, dirname(dataDirectory));
  await initialise(binaries, { account, dataDirectory, durable });
  await takeOver(account, dataDirectory);

  const log = await openLog(dataDirectory, account);
  const socketDirectory = await makeSocketDirectory(account);
  const { postgres } = binaries;
  const command = await commandLine({ account, postgres, dataDirectory, socketDirectory, durable, settings });
  const child = start(command, account, log.fd);
  const exited = once(child, 'exit');
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= shutDown(child, exited, socketDirectory));

  try {
    await Promise.race([exited, readiness(child, dataDirectory, readyWithin)]);
    if (!isRunning(child)) throw new Error('It ended.');
  } catch (cause) {
    await stop();
    throw failure({ child, dataDirectory, lines: await log.lastLines(), cause });
  } finally {
    await log.close();
  }
  child.unref();
  await removeUnfinished(dataDirectory);
  return { socketDirectory, port: PORT, pid: child.pid ?? 0, stop };
}

function start([program = '', ...args]: string[], { ids }: Account, log: number): ChildProcess {
  // In a process group of its own: Ctrl-C is for us, who stop PostgreSQL after the last request is answered.
  const stdio: StdioOptions = ['ignore', log, log];
  return spawn(program, args, { ...ids, cwd: '/', env: ENVIRONMENT, detached: true, stdio });
}

/** Not from under a PostgreSQL that runs under another account, in another container for instance. */
async function takeOver(account: Account, dataDirectory: string): Promise<void> {
  if (await belongsTo(account, dataDirectory)) return;
  if (!(await isUnlocked(dataDirectory))) throw inUse(dataDirectory);
  await giveTo(account, dataDirectory);
}

function inUse(dataDirectory: string, cause?: unknown): DataDirectoryInUse {
  return new DataDirectoryInUse(`Another PostgreSQL runs on ${dataDirectory}.`, { cause });
}

async function makeSocketDirectory({ owner }: Account): Promise<string> {
  const roomy = join(tmpdir(), 'eaas-XXXXXX', `.s.PGSQL.${PORT}`).length <= LONGEST_SOCKET_PATH;
  const directory = await mkdtemp(join(roomy ? tmpdir() : '/tmp', 'eaas-'));
  await chown(directory, owner.uid, owner.gid);
  return directory;
}

async function readiness(child: ChildProcess, dataDirectory: string, within: number): Promise<void> {
  const deadline = Date.now() + within;
  while (isRunning(child)) {
    const lines = (await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return;
    if (Date.now() > deadline) throw new Error(`It was not ready after ${within / 1000} seconds.`);
    await sleep(10);
  }
}

async function shutDown(
  child: ChildProcess,
  exited: Promise<unknown>,
  socketDirectory: string,
): Promise<void> {
  if (isRunning(child)) {
    child.ref();
    child.kill('SIGINT');
    const immediately = setTimeout(() => child.kill('SIGQUIT'), FAST_SHUTDOWN_WITHIN);
    await exited;
    clearTimeout(immediately);
  }
  await rm(socketDirectory, { recursive: true, force: true });
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

interface Failure {
  child: ChildProcess;
  dataDirectory: string;
  lines: string;
  cause: unknown;
}

function failure({ child, dataDirectory, lines, cause }: Failure): Error {
  const conflict = /lock file "postmaster.pid" already exists|pre-existing shared memory block/;
  if (child.exitCode === LOCK_CONFLICT || conflict.test(lines)) {
    return inUse(dataDirectory, cause);
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`PostgreSQL did not start on ${dataDirectory}. ${reason}\n${lines}`.trim(), { cause });
}
