import { open } from 'node:fs/promises';

/** Creates a file that only this user can read, and flushes the file to disk. Throws EEXIST if it exists. */
export async function writeNewFile(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
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
