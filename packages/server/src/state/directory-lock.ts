// One server to a directory: its lock is a file that names the server, and that this server touches again and again. A lock that
// nobody touches is that of a server that was killed, also if it ran in a container that is gone.
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ifExists, writeNewFile } from '../base/durable-files.ts';

/** For how long nobody must have touched a lock before another server takes it, in milliseconds. */
const untouchedFor = 5_000;

/** The lock of a directory that a server has. */
export class DirectoryLock {
  readonly path: string;
  readonly #owner: string;

  constructor(path: string, owner: string) {
    this.path = path;
    this.#owner = owner;
  }

  /** Says that this server still runs. Returns whether it still has the lock. */
  async touch(): Promise<boolean> {
    if (!(await this.#isOwn())) return false;
    const now = new Date();
    await utimes(this.path, now, now);
    return true;
  }

  async release(): Promise<void> {
    if (await this.#isOwn()) await rm(this.path, { force: true });
  }

  async #isOwn(): Promise<boolean> {
    return (await ifExists(readFile(this.path, 'utf8'))) === this.#owner;
  }
}

/** Takes the lock at a path. Returns undefined if another server has it. */
export async function takeLock(path: string, patience = untouchedFor): Promise<DirectoryLock | undefined> {
  const owner = randomUUID();
  const free = await isFree(path, patience);
  if (!free) return undefined;
  try {
    await writeNewFile(path, owner);
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (isTaken) return undefined;
    throw error;
  }
  return new DirectoryLock(path, owner);
}

/** Waits whether somebody touches the lock, and takes it away if nobody does. */
async function isFree(path: string, patience: number): Promise<boolean> {
  const before = await touchedAt(path);
  if (before === undefined) return true;

  const end = performance.now() + patience;
  while (performance.now() < end) {
    await sleep(patience / 20);
    const now = await touchedAt(path);
    if (now === undefined) return true;
    if (now !== before) return false;
  }

  const abandoned = `${path}.${randomUUID()}`;
  await ifExists(rename(path, abandoned));
  await rm(abandoned, { force: true });
  return true;
}

const touchedAt = async (path: string): Promise<number | undefined> => (await ifExists(stat(path)))?.mtimeMs;
