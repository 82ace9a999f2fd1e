import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ENVIRONMENT, giveTo, type Account } from './account.ts';
import type { PostgresBinaries } from './binaries.ts';
import { dyingWithUs } from './dying-with-us.ts';
import { syncDirectory } from './sync-directory.ts';

const run = promisify(execFile);

/** Whether a directory holds a PostgreSQL cluster already. */
export function isInitialised(dataDirectory: string): boolean {
  return existsSync(join(dataDirectory, 'PG_VERSION'));
}

/**
 * Runs initdb in a sibling directory and renames it, so that `dataDirectory` is never half made. Several processes may
 * do this at once: one wins, and all return.
 */
export async function initialise(
  { initdb }: PostgresBinaries,
  { account, dataDirectory, durable }: { account: Account; dataDirectory: string; durable: boolean },
): Promise<void> {
  if (isInitialised(dataDirectory)) return;
  const temporary = await mkdtemp(unfinishedPrefix(dataDirectory));
  try {
    await giveTo(account, temporary);
    const prefix = [...account.prefix, ...(await dyingWithUs())];
    const [program = initdb, ...args] = [...prefix, initdb, ...options(temporary, durable)];
    await run(program, args, { ...account.ids, cwd: '/', env: ENVIRONMENT });
    await rename(temporary, dataDirectory);
    await syncDirectory(dirname(dataDirectory));
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (isInitialised(dataDirectory)) return;
    throw initdbFailure(dataDirectory, error);
  }
}

/** Removes what killed processes left beside the data directory. Only for who has PostgreSQL running on it. */
export async function removeUnfinished(dataDirectory: string): Promise<void> {
  const prefix = unfinishedPrefix(dataDirectory);
  const names = await readdir(dirname(prefix));
  const unfinished = names.filter((name) => name.startsWith(basename(prefix)));
  await Promise.all(unfinished.map((name) => removeIfIdle(join(dirname(prefix), name))));
}

/** An initdb may still be writing, whose parent was killed: the next start removes what it leaves. */
async function removeIfIdle(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

function unfinishedPrefix(dataDirectory: string): string {
  return `${dataDirectory}.unfinished-`;
}

function options(dataDirectory: string, durable: boolean): string[] {
  return [
    `--pgdata=${dataDirectory}`,
    '--username=postgres',
    '--encoding=UTF8',
    // Sorted by bytes, the same with every version of the system's libraries: an index never goes stale with an upgrade.
    '--locale=C',
    '--data-checksums',
    // Who can reach the socket is decided by the mode of its directory; over TCP nobody can.
    '--auth-local=trust',
    '--auth-host=reject',
    ...(durable ? [] : ['--no-sync']),
  ];
}

function initdbFailure(dataDirectory: string, cause: unknown): Error {
  const output = (cause as { stderr?: string }).stderr?.trim() ?? '';
  return new Error(`PostgreSQL could not lay out ${dataDirectory}. ${output}`, { cause });
}
