import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionTo, type EmbeddedDatabase } from './connection.ts';
import type { DataDirectory } from './data-directory.ts';
import { ownDatabase } from './own-database.ts';
import { isAlive, readOwner, type Owner, type Purpose } from './owner-file.ts';

const RETRY_EVERY = 200;
const SAY_SO_AFTER = 1000;

/** What a test changes: where notes go, and how long to wait for another process. */
export interface EmbeddedDatabaseOptions {
  note?: (sentence: string) => void;
  waitAtMost?: number;
}

/**
 * The database of a data directory. One process at a time has PostgreSQL running on it: `serve` for as long as it lives;
 * a `command` uses a running `serve`'s, else its own for as long as it takes. Who finds it taken waits; a second `serve`
 * is refused.
 */
export async function embeddedDatabase(
  directory: DataDirectory,
  purpose: Purpose,
  { note = toStandardError, waitAtMost = 60_000 }: EmbeddedDatabaseOptions = {},
): Promise<EmbeddedDatabase> {
  const start = Date.now();
  let noted = false;
  for (;;) {
    const owner = await readOwner(directory.ownerFile);
    const alive = owner !== undefined && (await isAlive(owner));
    const found = alive
      ? await shareWith(owner, purpose, directory)
      : await ownDatabase(directory, purpose, owner);
    if (found !== undefined) return found;

    const who = alive ? `process ${owner.pid}` : await postgresProcess(directory);
    const waited = Date.now() - start;
    if (waited > waitAtMost) throw stillInUse(directory, who, waited);
    if (waited > SAY_SO_AFTER && !noted) {
      note(`Waiting for ${who} to finish with the data directory ${directory.path}.`);
      noted = true;
    }
    await sleep(RETRY_EVERY);
  }
}

async function shareWith(
  owner: Owner,
  purpose: Purpose,
  directory: DataDirectory,
): Promise<EmbeddedDatabase | undefined> {
  if (owner.purpose !== 'serve') return undefined;
  if (purpose === 'serve') {
    throw new Error(
      `Process ${owner.pid} serves the data directory ${directory.path} already. To run several replicas, ` +
        'set DATABASE_URL to one PostgreSQL server for all of them.',
    );
  }
  if (!(await accepts(owner))) return undefined;
  return { connection: connectionTo(owner), close: () => Promise.resolve() };
}

async function accepts({ socketDirectory, port }: Owner): Promise<boolean> {
  const socket = connect(join(socketDirectory, `.s.PGSQL.${port}`));
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

/** Whom to name while no owner is known: it is starting or stopping, was killed, or is in another container. */
async function postgresProcess(directory: DataDirectory): Promise<string> {
  const [pid] = (await readFile(join(directory.postgres, 'postmaster.pid'), 'utf8').catch(() => '')).split(
    '\n',
  );
  return pid === undefined || pid === '' ? 'another process' : `the PostgreSQL of process ${pid}`;
}

function stillInUse({ path }: DataDirectory, who: string, waited: number): Error {
  const seconds = Math.round(waited / 1000);
  return new Error(
    `The data directory ${path} is in use by ${who} and was not free within ${seconds} seconds.`,
  );
}

function toStandardError(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
