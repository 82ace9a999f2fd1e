// Writes small files that survive a power cut, such as root keys and the files of `eaas dev`.
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export function writeNewFile(path: string, content: string | Uint8Array): Promise<void> {
  return writeFile(path, content, { flag: 'wx', mode: 0o600, flush: true });
}

export async function replaceFile(path: string, content: string, temporary = `${path}.new`): Promise<void> {
  await rm(temporary, { force: true });
  await writeNewFile(temporary, content);
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

export async function ifExists<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

/** New and renamed files survive a power cut only if their directory is flushed too. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
