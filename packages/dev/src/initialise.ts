import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { syncDirectory } from '@eaas/server/internal';
import type { PostgresBinaries } from './binaries.ts';
import { type Account, environment, giveTo, under } from './command-line.ts';

/** Creates the database in a temporary directory, so that `dataDirectory` never has partial data. */
export async function initialise(
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
export async function removeUnfinished(dataDirectory: string): Promise<void> {
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
