// The words of the command line that starts PostgreSQL: as which user, with which lock, and how it ends with us.
import { execFile } from 'node:child_process';
import { chmod, lchown, lstat, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { getuid, pid, platform } from 'node:process';
import { promisify } from 'node:util';

export const lockConflict = 75;

/** The port in the name of PostgreSQL's Unix socket. PostgreSQL does not listen on TCP. */
export const socketPort = 5432;

/** PostgreSQL does not inherit the environment variables of the server, because these can include the root key. */
export const environment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

// The user id of the account `nobody`, which exists on every system. initdb refuses a user id without an account.
const nobody = platform === 'darwin' ? 4_294_967_294 : 65_534;

export interface Account {
  readonly prefix: readonly string[];
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

/** Never returns root, because PostgreSQL refuses to run as root. */
export async function postgresAccount(): Promise<Account> {
  const isRoot = getuid?.() === 0;
  if (!isRoot && hasName()) return { prefix: [], ids: {} };
  // A user namespace is the first choice, because PostgreSQL's files then keep their owner. If the container forbids
  // user namespaces, root runs PostgreSQL as the account `nobody`.
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
 * If PostgreSQL runs as another account, gives all users the execute permission on the directory. The account of
 * PostgreSQL can then open files in the directory by name, but cannot list the directory.
 */
export async function letThrough({ ids }: Account, directory: string): Promise<void> {
  if (ids.uid !== undefined) await chmod(directory, ((await stat(directory)).mode & 0o777) | 0o011);
}

export async function isForeign({ ids }: Account, path: string): Promise<boolean> {
  return getuid?.() === 0 && (await lstat(path)).uid !== (ids.uid ?? 0);
}

export async function giveTo(account: Account, path: string): Promise<void> {
  if (!(await isForeign(account, path))) return;
  const owner = account.ids.uid ?? 0;
  if ((await lstat(path)).isDirectory()) {
    await Promise.all((await readdir(path)).map((name) => giveTo(account, join(path, name))));
  }
  // The owner of a directory is changed after the owners of the files in the directory. If the process stops between
  // these changes, the directory still has the wrong owner, so the next start repeats the changes.
  await lchown(path, owner, owner);
}

/**
 * Each program of the command line replaces itself with the next program (`exec`), so PostgreSQL becomes a direct child
 * of this process.
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
 * With `setpriv`, Linux sends SIGINT to PostgreSQL if this process dies, even by SIGKILL. PostgreSQL then shuts down
 * cleanly.
 */
export async function under({ prefix }: Account): Promise<string[]> {
  const dying = ['setpriv', '--pdeathsig=INT', '--'];
  if (!(await runs([...dying, 'true']))) return [...prefix];
  // `setpriv` runs after `unshare`, because `unshare` changes the user and Linux then forgets the requested signal. If
  // this process dies before `setpriv` runs, Linux sends no signal. The shell therefore starts PostgreSQL only if this
  // process is still its parent.
  return [...prefix, ...dying, 'sh', '-c', 'test "$PPID" = "$0" && exec "$@"', String(pid)];
}

/**
 * Returns the words of the command line that lock the data directory with `flock`, or no words if `flock` is missing.
 * PostgreSQL's own lock cannot detect a server in another container on the same volume.
 */
export async function locking(dataDirectory: string): Promise<string[]> {
  // The trial run takes a shared lock. With an exclusive lock, a concurrent trial would fail, and `flock` would seem to
  // be missing.
  const flock = ['flock', '--no-fork', '--nonblock', `--conflict-exit-code=${lockConflict}`];
  return (await runs([...flock, '--shared', '/', 'true']))
    ? [...flock, join(dataDirectory, 'postgres.lock')]
    : [];
}
