// Root keys in files: created once, refused if other users can read them, and never in a string, which nobody can wipe.
import { randomFillSync, randomUUID } from 'node:crypto';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CannotStart } from '../base/cannot-start.ts';
import { ifExists, syncDirectory, writeNewFile } from '../base/durable-files.ts';

/** `mayCreate` must be false if the database has data, because a new root key cannot decrypt the data. */
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
  // If another process has created the file at the same time, this process reads that file.
  return (await createRootKeyFile(path)) ?? readOrCreateRootKeyFile(path, { mayCreate: false });
}

export async function readRootKeyFile(path: string): Promise<Uint8Array | undefined> {
  const file = await ifExists(open(path, 'r')).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CannotStart(
      `The root key file ${path} cannot be read (${code}). ` +
        `Give it to the user of this process: \`chown ${process.getuid?.()} ${path}\`.`,
    );
  });
  if (!file) return undefined;
  const text = new Uint8Array(longestRootKeyText + 1);
  try {
    const found = await file.stat();
    if (found.isDirectory()) throw new CannotStart(`${path} must be a file (got a directory).`);
    if (isOpenToOthers(found)) {
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
 * Returns whether the permissions of the file are too wide. A file that belongs to root may be readable by its group,
 * because orchestrators such as Kubernetes mount secrets with this permission. The result does not depend on the user
 * who runs the process. So root can run a command with every file that the server accepts.
 */
export function isOpenToOthers({ mode, uid }: { mode: number; uid: number }): boolean {
  return (mode & (uid === 0 ? 0o037 : 0o077)) !== 0;
}

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

// Root keys are plain byte arrays. A string cannot be wiped, and a small Buffer is in a memory pool that other code can
// read.

const keyBytes = 32;
const textBytes = 44;
const alphabet = Uint8Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  (letter) => letter.charCodeAt(0),
);
const padding = 0x3d;
const newline = 0x0a;

export const longestRootKeyText = textBytes + 1;

export function decodeRootKey(text: Uint8Array): Uint8Array | undefined {
  const length = text[textBytes] === newline ? text.length - 1 : text.length;
  if (length !== textBytes || text[textBytes - 1] !== padding) return undefined;
  const key = new Uint8Array(keyBytes);
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const letter of text.subarray(0, textBytes - 1)) {
    const value = alphabet.indexOf(letter);
    if (value === -1) return wiped(key);
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held >= 8) key[at++] = bits >> (held -= 8);
  }
  // Canonical base64: the two unused bits of the last character must be zero.
  return (bits & 3) === 0 ? key : wiped(key);
}

function wiped(key: Uint8Array): undefined {
  key.fill(0);
}

/**
 * Encodes a root key in base64, followed by a newline. Returns one byte per character instead of a string, because the
 * caller must wipe the result.
 */
export function encodeRootKey(key: Uint8Array): Uint8Array {
  const text = new Uint8Array(longestRootKeyText).fill(padding);
  for (let at = 0; at < textBytes - 1; at++) {
    const byte = (at * 6) >> 3;
    const shift = 10 - ((at * 6) & 7);
    const pair = ((key[byte] ?? 0) << 8) | (key[byte + 1] ?? 0);
    text[at] = alphabet[(pair >> shift) & 63] ?? 0;
  }
  text[textBytes] = newline;
  return text;
}
