import { execFile } from 'node:child_process';
import { chmod, lchown, lstat, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { getgid, getuid, platform } from 'node:process';
import { promisify } from 'node:util';

const run = promisify(execFile);

// Every Linux has this account, and PostgreSQL insists on one that has a name.
const NOBODY = platform === 'darwin' ? 4_294_967_294 : 65_534;

/** The operating system's account that PostgreSQL runs under, and how to start a program under it. */
export interface Account {
  /** Put before the program and its arguments. */
  prefix: string[];
  /** Options of `spawn`. */
  ids: { uid?: number; gid?: number };
  /** Who owns the files then, as seen from here. */
  owner: { uid: number; gid: number };
}

/** For PostgreSQL and its tools instead of our own environment, which may hold the root key. */
export const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

/** The account for PostgreSQL, which refuses to run as root: our own, unless we are root. */
export async function postgresAccount(): Promise<Account> {
  const owner = { uid: getuid?.() ?? -1, gid: getgid?.() ?? -1 };
  if (owner.uid !== 0 && hasName()) return { prefix: [], ids: {}, owner };

  // A user namespace needs no second owner of the files, so that it works in any path; some containers forbid it.
  const prefix = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];
  if (await runs([...prefix, 'true'])) return { prefix, ids: {}, owner };
  if (owner.uid !== 0) return { prefix: [], ids: {}, owner };

  const nobody = { uid: NOBODY, gid: NOBODY };
  return { prefix: [], ids: nobody, owner: nobody };
}

const outcomes = new Map<string, Promise<boolean>>();

/** What `succeeds` says, tried once: for what a machine can do. */
export async function runs(command: string[]): Promise<boolean> {
  const key = command.join(' ');
  const outcome = outcomes.get(key) ?? succeeds(command);
  outcomes.set(key, outcome);
  return outcome;
}

/** Whether a command line ends well. */
export async function succeeds([program = '', ...args]: string[]): Promise<boolean> {
  return run(program, args, { env: ENVIRONMENT, timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

/** Lets the account, where it is not our own, pass through a directory of ours; it still cannot list or read it. */
export async function letThrough({ owner }: Account, directory: string): Promise<void> {
  const { uid, mode } = await stat(directory);
  if (uid === getuid?.() && uid !== owner.uid) await chmod(directory, (mode & 0o777) | 0o011);
}

/** Whether files are the account's already, or we could not change it. */
export async function belongsTo({ owner }: Account, path: string): Promise<boolean> {
  return getuid?.() !== 0 || (await lstat(path)).uid === owner.uid;
}

/** Makes the account the owner of a directory and all in it, when root changed from one account to another. */
export async function giveTo(account: Account, path: string): Promise<void> {
  if (await belongsTo(account, path)) return;
  // The directory itself comes last: if this is interrupted, the next start does it again.
  if ((await lstat(path)).isDirectory()) {
    await Promise.all((await readdir(path)).map((name) => giveTo(account, join(path, name))));
  }
  await lchown(path, account.owner.uid, account.owner.gid);
}

function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}
