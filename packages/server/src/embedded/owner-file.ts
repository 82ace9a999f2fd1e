import { readFile, rename, writeFile } from 'node:fs/promises';
import { pid } from 'node:process';
import { processIdentity } from './process-identity.ts';
import type { RunningPostgres } from './launch.ts';

/** Why a process wants the embedded database: to serve it, or for the time of one command. */
export type Purpose = 'serve' | 'command';

/** The process that started PostgreSQL on a data directory, and where that PostgreSQL is. */
export interface Owner {
  pid: number;
  identity: string;
  purpose: Purpose;
  postgres: { pid: number; identity: string };
  socketDirectory: string;
  port: number;
}

/** Says that this process owns a running PostgreSQL. Only for who does: this file informs, PostgreSQL's lock decides. */
export async function writeOwner(file: string, purpose: Purpose, postgres: RunningPostgres): Promise<void> {
  const owner: Owner = {
    pid,
    identity: (await processIdentity(pid)) ?? '',
    purpose,
    postgres: { pid: postgres.pid, identity: (await processIdentity(postgres.pid)) ?? '' },
    socketDirectory: postgres.socketDirectory,
    port: postgres.port,
  };
  const temporary = `${file}.new`;
  await writeFile(temporary, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  await rename(temporary, file);
}

/** The owner that last wrote the file; it may be dead since. */
export async function readOwner(file: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Owner;
  } catch {
    // None, or one that a power cut left empty: PostgreSQL's lock then says whether somebody is there.
    return undefined;
  }
}

/** Whether the same process, not another with its id, still runs (and in this container). */
export async function isAlive(process: { pid: number; identity: string }): Promise<boolean> {
  return process.identity !== '' && (await processIdentity(process.pid)) === process.identity;
}
