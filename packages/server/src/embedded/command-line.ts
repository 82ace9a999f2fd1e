import { join } from 'node:path';
import { runs, succeeds, type Account } from './account.ts';
import { dyingWithUs } from './dying-with-us.ts';

/** The exit code of a start that found another PostgreSQL holding the lock of its data directory. */
export const LOCK_CONFLICT = 75;

/** The one name a socket can have in its directory, since nothing listens on TCP. */
export const PORT = 5432;

interface Launch {
  account: Account;
  postgres: string;
  dataDirectory: string;
  socketDirectory: string;
  durable: boolean;
  settings: Record<string, string>;
}

/** The command that becomes PostgreSQL. Each program replaces the one before, so that the process is our own child. */
export async function commandLine(launch: Launch): Promise<string[]> {
  const { account, postgres, dataDirectory, socketDirectory, durable, settings } = launch;
  const all = {
    unix_socket_directories: socketDirectory,
    unix_socket_permissions: '0700',
    log_timezone: 'UTC',
    timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...settings,
  };
  return [
    ...account.prefix,
    ...(await dyingWithUs()),
    ...(await locking(dataDirectory)),
    postgres,
    `-D${dataDirectory}`,
    '-h',
    '',
    `-p${PORT}`,
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/**
 * A lock that PostgreSQL and its children inherit and that ends with the last of them. PostgreSQL's own compares process
 * ids, and does not see a server in another container that shares the volume.
 */
async function locking(dataDirectory: string): Promise<string[]> {
  const prefix = ['flock', '--no-fork', '--nonblock', `--conflict-exit-code=${LOCK_CONFLICT}`];
  return (await runs([...prefix, '/', 'true'])) ? [...prefix, join(dataDirectory, 'postgres.lock')] : [];
}

/** Whether no PostgreSQL holds the lock of a data directory, as far as this machine has such locks. */
export async function isUnlocked(dataDirectory: string): Promise<boolean> {
  const prefix = await locking(dataDirectory);
  return prefix.length === 0 || succeeds([...prefix, 'true']);
}
