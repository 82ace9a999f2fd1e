// Codes in the URL that `eaas dev` prints: each signs in to the console once. They are files, so another process can make one.
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ifExists, Refusal, writeNewFile } from '@eaas/server/internal';

const lifetime = 10 * 60_000;

/**
 * One-time codes that sign in to the console. Each code is a file of the data directory, so that a command can create a
 * code for the server that runs. The file's name is the SHA-256 of the code, and its content the time of expiry.
 */
export class SignInCodes {
  readonly #folder: string;
  readonly #now: () => number;

  constructor(dataDirectory: string, now: () => number = Date.now) {
    this.#folder = join(dataDirectory, 'sign-in');
    this.#now = now;
  }

  /** Returns a code that works once within ten minutes. Removes the files of expired codes. */
  async create(): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#folder)) {
      const file = join(this.#folder, name);
      if (this.#now() >= (await expiryIn(file))) await rm(file, { force: true });
    }
    const code = randomBytes(32).toString('base64url');
    await writeNewFile(this.#fileOf(code), String(this.#now() + lifetime));
    return code;
  }

  /** Calls `open` if the code is valid, and makes the code invalid unless `open` fails. */
  async exchange<T>(code: string, open: () => Promise<T>): Promise<T> {
    const file = this.#fileOf(code);
    const expiresAt = await expiryIn(file);
    // Of two concurrent exchanges, only one removes the file.
    if (this.#now() >= expiresAt || !(await isRemoved(file))) throw refused();
    try {
      return await open();
    } catch (error) {
      await writeNewFile(file, String(expiresAt));
      throw error;
    }
  }

  #fileOf(code: string): string {
    return join(this.#folder, createHash('sha256').update(code).digest('hex'));
  }
}

async function expiryIn(file: string): Promise<number> {
  return Number((await ifExists(readFile(file, 'utf8'))) ?? 0);
}

async function isRemoved(file: string): Promise<boolean> {
  return (await ifExists(unlink(file).then(() => true))) ?? false;
}

function refused(): Refusal {
  return new Refusal(
    'unauthorized',
    'The sign-in code is wrong, was already used or has expired. `eaas dev --sign-in` prints a new one. ' +
      'You can also sign in with an API key.',
  );
}
