import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseUuid } from '@eaas/protocol';
import { ifExists, replaceFile } from './durable-files.ts';

const ending = '.checkpoint';

export function checkpointFile(directory: string, tenantId: string): string {
  return join(directory, tenantId + ending);
}

/** Overwrites the previous checkpoint. If the log does not extend that checkpoint, the proof of a rollback is lost. */
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
