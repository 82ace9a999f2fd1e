import { execFile } from 'node:child_process';
import { chmod, lchown, lstat, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { getuid, pid, platform } from 'node:process';
import { promisify } from 'node:util';

/** The exit code that the command line returns if another PostgreSQL holds the lock of the data directory. */
export const lockConflict = 75;

/**
 * The number at the end of the name of PostgreSQL's Unix socket. PostgreSQL calls the number a port, but does not
 * listen on TCP.
 */
export const socketPort = 5432;

/**
 * The environment of PostgreSQL and its tools. It contains no variables of the server, because these can include the
 * root key.
 */
export const environment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

// The user id of the account `nobody`, which exists on every system. initdb refuses a user id without an account.
const nobody = platform === 'darwin' ? 4_294_967_294 : 65_534;

/** The operating system account that PostgreSQL runs under. */
export interface Account {
  /** The words that precede the program on the command line and switch to the account. */
  readonly prefix: readonly string[];
  /** The user and group ids for the `spawn` function. Empty if PostgreSQL runs under the user of this process. */
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

/**
 * Returns the account that PostgreSQL runs under. PostgreSQL refuses to run as root, so a root process gets another
 * account.
 */
export async function postgresAccount(): Promise<Account> {
  const isRoot = getuid?.() === 0;
  if (!isRoot && hasName()) return { prefix: [], ids: {} };
  // First the server tries a user namespace, in which PostgreSQL's files keep their owner. If the container forbids
  // user namespaces, root runs PostgreSQL as `nobody`.
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

export function runs([program = '', ...args]: readonly string[]): Promise<boolean> {
  return promisify(execFile)(program, args, { env: environment, timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

/**
 * Lets another account open files in a directory if the account knows the file names. The account cannot list the
 * directory.
 */
export async function letThrough({ ids }: Account, directory: string): Promise<void> {
  if (ids.uid !== undefined) await chmod(directory, ((await stat(directory)).mode & 0o777) | 0o011);
}

/** Returns whether the files belong to another account, because PostgreSQL ran under another account before. */
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
  // The owner of the directory itself changes last. If the change is interrupted, the next start therefore repeats it.
  await lchown(path, owner, owner);
}

/**
 * Returns the command line that starts PostgreSQL. Each program on the command line replaces the previous program
 * (exec), so PostgreSQL is a child of this process.
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
 * Returns the words that precede a program on the command line. They run the program under the account and end it with
 * this process. If this process dies, even by SIGKILL, Linux sends SIGINT to the program, and PostgreSQL shuts down
 * cleanly.
 */
export async function under({ prefix }: Account): Promise<string[]> {
  const dying = ['setpriv', '--pdeathsig=INT', '--'];
  if (!(await runs([...dying, 'true']))) return [...prefix];
  // A change of user or group cancels the parent-death signal, so `dying` follows the prefix. This process might have
  // died before the signal was requested, so the shell compares the id of its parent process.
  return [...prefix, ...dying, 'sh', '-c', 'test "$PPID" = "$0" && exec "$@"', String(pid)];
}

/**
 * Returns the words that precede PostgreSQL on the command line and lock the data directory. The lock is released when
 * PostgreSQL and its child processes have ended. PostgreSQL's own lock is not enough, because it cannot detect a server
 * in another container on the same volume.
 */
export async function locking(dataDirectory: string): Promise<string[]> {
  // The call only checks that `flock` works. It takes a shared lock, so that the checks of several processes do not
  // conflict.
  const flock = ['flock', '--no-fork', '--nonblock', `--conflict-exit-code=${lockConflict}`];
  return (await runs([...flock, '--shared', '/', 'true']))
    ? [...flock, join(dataDirectory, 'postgres.lock')]
    : [];
}
