// As which account PostgreSQL runs, and with which environment. It refuses to run as root.
import { execFile } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { getuid, platform } from 'node:process';
import { promisify } from 'node:util';

/** PostgreSQL does not inherit the environment variables of the server, because these can include the root key. */
export const environment = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };

// The user id of the account `nobody`, which exists on every system. initdb refuses a user id without an account.
const nobody = platform === 'darwin' ? 4_294_967_294 : 65_534;

export interface Account {
  /** The words before the program in a command line. */
  readonly prefix: readonly string[];
  readonly ids: { readonly uid?: number; readonly gid?: number };
}

/** Never returns root. */
export async function postgresAccount(): Promise<Account> {
  if (getuid?.() !== 0) return { prefix: [], ids: {} };
  // A user namespace is the first choice, because PostgreSQL then may read what root may read, such as a checkout in
  // /root. If the container forbids user namespaces, root runs PostgreSQL as the account `nobody`.
  const prefix = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--'];
  const canMap = await runs([...prefix, 'true']);
  return canMap ? { prefix, ids: {} } : { prefix: [], ids: { uid: nobody, gid: nobody } };
}

export function runs([program = '', ...args]: readonly string[]): Promise<boolean> {
  return promisify(execFile)(program, args, { env: environment, timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

export async function giveTo({ ids: { uid, gid } }: Account, path: string): Promise<void> {
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}
