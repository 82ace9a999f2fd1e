// What a server remembers of audit logs when it starts again: the newest entry of each that it has seen, in a file of its own. A
// superuser of the database who exchanges all rows of a tenant for older ones cannot change this file too.
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fromHex, toHex } from '@eaas/protocol/internal';
import { type HeadMemory, Remembered, type SeenHead } from '@eaas/service';
import { CannotStart, codeOf } from '../base/cannot-start.ts';
import { ifExists, replaceFile } from '../base/durable-files.ts';
import { type DirectoryLock, takeLock } from './directory-lock.ts';

/** Of so many tenants the newest entries are remembered. Those that were used longest ago go first. */
const mostTenants = 100_000;
/** How often what was seen goes to the file, in milliseconds. */
const flushesEvery = 1_000;
/** The file is written anew when it has so many lines more than twice those that it needs. */
const spareLines = 10_000;

const title = 'eaas heads v1';
const linePattern = /^([\da-f-]{36}) (\d{1,16}) ([\da-f]{64})$/;

interface TenantHead extends SeenHead {
  readonly tenantId: string;
}

/** A file of heads that this server, and no other, writes. Close it at the end. */
export class HeadFile implements HeadMemory {
  /** Is told what could not be written. */
  onFault: (error: unknown) => void = () => {};
  readonly #path: string;
  readonly #lock: DirectoryLock;
  readonly #heads = new Remembered<TenantHead>(mostTenants);
  readonly #unwritten = new Map<string, TenantHead>();
  #lineCount = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The flush that runs, or the last one. */
  #flushed: Promise<void> = Promise.resolve();

  constructor(path: string, lock: DirectoryLock) {
    this.#path = path;
    this.#lock = lock;
  }

  get(tenantId: string): SeenHead | undefined {
    return this.#heads.get(tenantId);
  }

  saw(tenantId: string, { id, hash }: SeenHead): void {
    const known = this.#heads.get(tenantId);
    if (known && known.id >= id) return;
    // A row's bytes can be a part of what a connection has received, which would stay in memory.
    const head: TenantHead = { tenantId, id, hash: hash.slice() };
    this.#heads.set(tenantId, head);
    this.#unwritten.set(tenantId, head);
  }

  /** Forgets what it remembers of a tenant, or of all. Returns of how many. */
  async forget(tenantId?: string): Promise<number> {
    const forgotten = this.#heads
      .values()
      .filter((head) => tenantId === undefined || head.tenantId === tenantId);
    for (const head of forgotten) {
      this.#heads.delete(head.tenantId);
      this.#unwritten.delete(head.tenantId);
    }
    await this.#rewrite();
    return forgotten.length;
  }

  /** Reads the file. Returns a warning if somebody has damaged it, or a machine that lost power. */
  async read(): Promise<string | undefined> {
    const text = await ifExists(readFile(this.#path, 'utf8'));
    if (text === undefined) return undefined;

    const [first, ...lines] = text.split('\n');
    // The last line has an end, unless a killed server wrote it.
    lines.pop();
    let damaged = first === title ? 0 : 1;
    for (const line of lines) {
      const [, tenantId, id, hash] = linePattern.exec(line) ?? [];
      if (tenantId === undefined || hash === undefined) damaged++;
      else this.#heads.set(tenantId, { tenantId, id: Number(id), hash: fromHex(hash) });
    }
    if (damaged === 0) return undefined;

    const kept = `${this.#path}.damaged`;
    await rename(this.#path, kept);
    return (
      `${damaged} of ${lines.length + 1} lines of ${this.#path} are damaged, and what they said is forgotten. ` +
      `The file is kept as ${kept}.`
    );
  }

  /** Writes the file anew, and then what is seen, each second. */
  async begin(): Promise<void> {
    await this.#rewrite();
    this.#timer = setInterval(() => void this.flush(), flushesEvery).unref();
  }

  /** Writes what was seen since the last time. Never rejects. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#write()).catch((error: unknown) => this.onFault(error));
    return this.#flushed;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
    await this.#lock.release();
  }

  async #write(): Promise<void> {
    const hasLock = await this.#lock.touch();
    if (!hasLock) {
      throw new Error(`another server has taken ${this.#lock.path}: give each server a directory of its own`);
    }
    if (this.#unwritten.size === 0) return;

    const heads = [...this.#unwritten.values()];
    const isLong = this.#lineCount > 2 * this.#heads.size + spareLines;
    this.#unwritten.clear();
    try {
      await (isLong ? this.#rewrite() : this.#append(heads));
    } catch (error) {
      this.#keepUnwritten(heads);
      throw error;
    }
  }

  /** After a fault, writes them next time, unless newer ones have come. */
  #keepUnwritten(heads: readonly TenantHead[]): void {
    for (const head of heads) {
      if (!this.#unwritten.has(head.tenantId)) this.#unwritten.set(head.tenantId, head);
    }
  }

  async #append(heads: readonly TenantHead[]): Promise<void> {
    const file = await open(this.#path, 'a', 0o600);
    try {
      await file.appendFile(heads.map(lineOf).join(''));
    } finally {
      await file.close();
    }
    this.#lineCount += heads.length;
  }

  async #rewrite(): Promise<void> {
    const heads = this.#heads.values();
    await replaceFile(this.#path, `${title}\n${heads.map(lineOf).join('')}`);
    this.#lineCount = heads.length;
  }
}

const lineOf = ({ tenantId, id, hash }: TenantHead): string => `${tenantId} ${id} ${toHex(hash)}\n`;

/** Opens the file of heads in a directory, which it makes. Throws CannotStart if another server uses the directory. */
export async function openHeadFile(
  directory: string,
  patience?: number,
): Promise<{ readonly heads: HeadFile; readonly warning: string | undefined }> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const lock = await takeLock(join(directory, 'lock'), patience);
    if (!lock) {
      throw new CannotStart(
        `A server that runs uses the directory ${directory} of EAAS_STATE_DIR. Give each server a directory of its own, or stop ` +
          'that server first.',
      );
    }
    const heads = new HeadFile(join(directory, 'heads'), lock);
    const warning = await heads.read();
    await heads.begin();
    return { heads, warning };
  } catch (error) {
    if (error instanceof CannotStart || codeOf(error) === '') throw error;
    throw new CannotStart(
      `The directory ${directory} of EAAS_STATE_DIR cannot be used (${codeOf(error)}). Set it to a directory in which this server can ` +
        'write, on a volume that outlives it.',
    );
  }
}
