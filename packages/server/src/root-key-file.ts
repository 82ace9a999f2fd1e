import { randomFillSync, randomUUID } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getuid } from 'node:process';
import { CannotStart } from './cannot-start.ts';
import { ifExists, syncDirectory, writeNewFile } from './durable-files.ts';
import { decodeRootKey, encodeRootKey, longestRootKeyText } from './root-key-text.ts';

/**
 * Reads the root key in a file. If the file is missing, creates a root key if `mayCreate` is true, and throws
 * CannotStart if it is false. `mayCreate` must be false if data exists. Throws CannotStart if other users can read the
 * file.
 */
export async function readOrCreateRootKeyFile(
  path: string,
  { mayCreate }: { mayCreate: boolean },
): Promise<Uint8Array> {
  const existing = await readRootKeyFile(path);
  if (existing) return existing;
  if (!mayCreate) {
    throw new CannotStart(
      `The root key file ${path} is missing, and no other key can decrypt the existing data. Restore the file from your copy.`,
    );
  }
  // If no file was created, another process has created the file at the same time. The root key in that file is then
  // used.
  const key = (await createRootKeyFile(path)) ?? (await readRootKeyFile(path));
  if (key) return key;
  throw new CannotStart(`The root key file ${path} was removed while this process read it: start again.`);
}

/**
 * Reads the root key in a file. Returns undefined if the file does not exist. Throws CannotStart if other users can
 * read the file.
 */
export async function readRootKeyFile(path: string): Promise<Uint8Array | undefined> {
  const file = await ifExists(open(path, 'r'));
  if (!file) return undefined;
  const text = new Uint8Array(longestRootKeyText + 1);
  try {
    if (isOpenToOthers(await file.stat())) {
      throw new CannotStart(
        `Other users of this machine can read the root key file ${path}. ` +
          `Run \`chmod 600 ${path}\`, or mount the secret with mode 0400.`,
      );
    }
    const { bytesRead } = await file.read(text);
    const key = decodeRootKey(text.subarray(0, bytesRead));
    if (key) return key;
    throw new CannotStart(
      `The root key file ${path} must contain exactly 32 bytes in base64 (44 characters) and nothing else.`,
    );
  } finally {
    text.fill(0);
    await file.close();
  }
}

/**
 * Returns whether other users can read or write a root key file. If root owns the file, the group of the file can read
 * it, because orchestrators mount secrets in this way. PostgreSQL has the same rule for its key files.
 */
export function isOpenToOthers({ mode, uid }: { mode: number; uid: number }): boolean {
  return (mode & (uid === 0 && getuid?.() !== 0 ? 0o037 : 0o077)) !== 0;
}

/**
 * Creates a root key in a new file, durably and atomically. Returns the root key, or undefined if the file exists
 * already.
 */
export async function createRootKeyFile(path: string): Promise<Uint8Array | undefined> {
  const key = randomFillSync(new Uint8Array(32));
  const text = encodeRootKey(key);
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeNewFile(temporary, text);
    await link(temporary, path);
  } catch (error) {
    key.fill(0);
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  } finally {
    text.fill(0);
    await rm(temporary, { force: true });
  }
  await syncDirectory(dirname(path));
  return key;
}
