import { randomBytes } from 'node:crypto';
import { constants, link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getuid } from 'node:process';
import { syncDirectory } from './sync-directory.ts';

const KEY_BYTES = 32;

/**
 * The root key of a file: 32 bytes in base64. A missing one is made, readable by us only, where `mayCreate` says that
 * nothing is encrypted under another yet; otherwise it throws, as it does for a file that others can read.
 */
export async function readOrCreateRootKeyFile(
  path: string,
  { mayCreate }: { mayCreate: boolean },
): Promise<Uint8Array> {
  const existing = await readRootKeyFile(path);
  if (existing !== undefined) return existing;
  if (!mayCreate) {
    throw new Error(
      `The root key ${path} is missing, and a new one would not open the existing data. Restore the file ` +
        'from where the key was saved.',
    );
  }
  await createRootKeyFile(path);
  const created = await readRootKeyFile(path);
  if (created === undefined) throw new Error(`The root key ${path} was removed while it was made.`);
  return created;
}

/** The root key of a file, or undefined where there is no file. Throws for one that others can read. */
export async function readRootKeyFile(path: string): Promise<Uint8Array | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const { mode, uid } = await file.stat();
    if ((mode & forbidden(uid)) !== 0) {
      throw new Error(
        `Other users of this machine can read the root key ${path}. Run \`chmod 600 ${path}\`, or ` +
          'mount the secret with the mode 0400.',
      );
    }
    return decode(await file.readFile(), path);
  } finally {
    await file.close();
  }
}

/** As PostgreSQL has it for its own keys: a mounted secret belongs to root, and reaches us through our group. */
function forbidden(owner: number): number {
  return owner === 0 && getuid?.() !== 0 ? 0o037 : 0o077;
}

function decode(content: Buffer, path: string): Uint8Array {
  const text = content.toString('latin1').replace(/\n$/, '');
  content.fill(0);
  const key = Buffer.from(text, 'base64');
  // Node takes any spelling; only the one that encodes these bytes is what was saved.
  if (key.length !== KEY_BYTES || key.toString('base64') !== text) {
    key.fill(0);
    throw new Error(
      `The root key ${path} must hold exactly 32 bytes in base64 (44 characters) and nothing else.`,
    );
  }
  return Uint8Array.from(key);
}

/** Puts a whole new key on disk and links it. Answers false where another was first: then theirs is the key. */
export async function createRootKeyFile(path: string): Promise<boolean> {
  const key = randomBytes(KEY_BYTES);
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeDurably(temporary, `${key.toString('base64')}\n`);
    await link(temporary, path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    key.fill(0);
    await rm(temporary, { force: true });
  }
  await syncDirectory(dirname(path));
  return true;
}

async function writeDurably(path: string, content: string): Promise<void> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
