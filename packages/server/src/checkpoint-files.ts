import { constants } from 'node:fs';
import { access, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseUuid } from '@eaas/protocol';
import { CannotStart } from './cannot-start.ts';
import { ifExists, replaceFile } from './durable-files.ts';

const ending = '.checkpoint';

export async function requireCheckpointDirectory(directory: string): Promise<void> {
  try {
    const isDirectory = (await stat(directory)).isDirectory();
    if (isDirectory) return await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const advice =
      code === 'ENOENT'
        ? 'Create or mount the directory'
        : 'Allow the user of the server to read and write the directory';
    throw new CannotStart(
      `EAAS_CHECKPOINT_DIR ${directory} cannot be used (${code}). ${advice}, or remove the variable.`,
      { cause: error },
    );
  }
  throw new CannotStart(
    `EAAS_CHECKPOINT_DIR ${directory} is not a directory. Set the variable to a directory, or remove it.`,
  );
}

export function checkpointFile(directory: string, tenantId: string): string {
  return join(directory, tenantId + ending);
}

/**
 * Overwrites the stored checkpoint, which could prove a rollback. The caller must first check that the log still
 * contains the checkpoint's entry.
 */
export async function writeCheckpointFile(
  directory: string,
  tenantId: string,
  checkpoint: string,
): Promise<void> {
  await replaceFile(checkpointFile(directory, tenantId), checkpoint);
}

export async function readCheckpointFile(directory: string, tenantId: string): Promise<string | undefined> {
  return ifExists(readFile(checkpointFile(directory, tenantId), 'utf8'));
}

export async function removeCheckpointFile(directory: string, tenantId: string): Promise<void> {
  await rm(checkpointFile(directory, tenantId), { force: true });
}

export async function listCheckpointFiles(directory: string): Promise<string[]> {
  const ids = (await readdir(directory)).map((name) =>
    name.endsWith(ending) ? name.slice(0, -ending.length) : '',
  );
  return ids.filter((id) => parseUuid(id) === id);
}
