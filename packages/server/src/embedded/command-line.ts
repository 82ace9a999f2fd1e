import { execFile } from 'node:child_process';
import { chmod, lchown, lstat, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { getuid, pid, platform } from 'node:process';
import { promisify } from 'node:util';

/** The command exits with this code if another PostgreSQL holds the lock of the data directory. */
export const lockConflict = 75;

/** The number at the end of the Unix socket's name. PostgreSQL calls it a port, but does not listen on TCP. */
export const socketPort = 5432;

/**
 * The environment of PostgreSQL and its tools. The environment of the server is not passed on, because it can contain
 * the root key.
 */
export const environment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

// The account `nobody` exists on every system. Another user id would not work, because initdb refuses an account
// without a name.
const nobody = platform === 'darwin' ? 4_294_967_294 : 65_534;

/** The account of the operating system that PostgreSQL runs under. */
export interface Account {
  /** The words that precede the program and its arguments on the command line. */
  readonly prefix: readonly string[];
  /** The user and group under which a program runs, as options of `spawn`. Empty for the user of this process. */
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

/**
 * Returns the account for PostgreSQL: the account of this process, or another one if this process runs as root, because
 * PostgreSQL refuses to run as root.
 */
export async function postgresAccount(): Promise<Account> {
  const isRoot = getuid?.() === 0;
  if (!isRoot && hasName()) return { prefix: [], ids: {} };
  // A user namespace is tried first, because the files keep their owner. Some containers forbid user namespaces.
  const prefix = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--'];
  if (await runs([...prefix, 'true'])) return { prefix, ids: {} };
  return { prefix: [], ids: isRoot ? { uid: nobody, gid: nobody } : {} };
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

/** Returns whether a command line ends with exit code 0. */
export function runs([program = '', ...args]: readonly string[]): Promise<boolean> {
  return promisify(execFile)(program, args, { env: environment, timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

/** Lets another account open files in the directory, but not list the directory. */
export async function letThrough({ ids }: Account, directory: string): Promise<void> {
  if (ids.uid !== undefined) await chmod(directory, ((await stat(directory)).mode & 0o777) | 0o011);
}

/** Returns whether root must change the owner of the files, because PostgreSQL ran under another account before. */
export async function isForeign({ ids }: Account, path: string): Promise<boolean> {
  return getuid?.() === 0 && (await lstat(path)).uid !== (ids.uid ?? 0);
}

/** Makes the account the owner of a directory and of everything in it. */
export async function giveTo(account: Account, path: string): Promise<void> {
  if (!(await isForeign(account, path))) return;
  const owner = account.ids.uid ?? 0;
  if ((await lstat(path)).isDirectory()) {
    await Promise.all((await readdir(path)).map((name) => giveTo(account, join(path, name))));
  }
  // Change the directory last, so that the next start continues after an interruption.
  await lchown(path, owner, owner);
}

/**
 * Returns the command line that starts PostgreSQL. Each program in it replaces the previous one (exec), so PostgreSQL
 * is a child of this process.
 */
export async function commandLine(launch: {
  readonly account: Account;
  readonly postgres: string;
  readonly dataDirectory: string;
  readonly socketDirectory: string;
  readonly durable: boolean;
  readonly settings: Readonly<Record<string, string>>;
}): Promise<string[]> {
  const settings = {
    unix_socket_directories: launch.socketDirectory,
    unix_socket_permissions: '0700',
    log_timezone: 'UTC',
    timezone: 'UTC',
    ...(launch.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...launch.settings,
  };
  return [
    ...(await under(launch.account)),
    ...(await locking(launch.dataDirectory)),
    launch.postgres,
    `-D${launch.dataDirectory}`,
    '-h',
    '',
    `-p${socketPort}`,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/**
 * Returns the words that precede a program on the command line, so that the program runs under the account and ends
 * with this process. Linux sends the program SIGINT when the thread that started it dies, even by SIGKILL. PostgreSQL
 * then shuts down cleanly.
 */
export async function under({ prefix }: Account): Promise<string[]> {
  const dying = ['setpriv', '--pdeathsig=INT', '--'];
  if (!(await runs([...dying, 'true']))) return [...prefix];
  // `dying` comes after the prefix, because a change of user or group cancels the parent-death signal. The shell tests
  // whether this process died before the signal was requested.
  return [...prefix, ...dying, 'sh', '-c', 'test "$PPID" = "$0" && exec "$@"', String(pid)];
}

/**
 * Returns the words that lock the data directory. PostgreSQL and its child processes inherit the lock, and it is
 * released when the last of these processes ends. PostgreSQL's own lock is not enough, because it compares process ids,
 * and so cannot detect a server in another container on the same volume.
 */
export async function locking(dataDirectory: string): Promise<string[]> {
  // The check takes a shared lock, so that checks by several processes do not conflict.
  const flock = ['flock', '--no-fork', '--nonblock', `--conflict-exit-code=${lockConflict}`];
  return (await runs([...flock, '--shared', '/', 'true']))
    ? [...flock, join(dataDirectory, 'postgres.lock')]
    : [];
}
