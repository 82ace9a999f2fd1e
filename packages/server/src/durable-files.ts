import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Creates a file that only the current user can read, and flushes it to disk. Throws EEXIST if the file exists. */
export async function writeNewFile(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Replaces a file atomically, and flushes it to disk. Only the current user can read the file. Files that an
 * interrupted call has left behind do no harm.
 */
export async function replaceFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  await writeNewFile(temporary, content);
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

/** Waits for a file operation. Returns undefined if the operation fails because the file does not exist. */
export async function ifExists<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Flushes a directory to disk, so that new and renamed files in it survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
