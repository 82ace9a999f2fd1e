import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseUuid } from '@eaas/protocol';
import { CannotStart, ifExists, replaceFile } from '@eaas/server/internal';

/**
 * The name of a checkpoint file contains the tenant's id and the id of the audit entry. Earlier versions of the server
 * wrote names without the id of the entry.
 */
const fileName = /^([0-9a-f-]{36})(?:\.(\d{1,16}))?\.checkpoint(\.[0-9a-f-]{36}\.new)?$/;

/** Throws CannotStart unless the server can read and write the directory. */
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

export interface CheckpointFile {
  readonly path: string;
  /**
   * The id of the audit entry, as in the name of the file. A file can be renamed, so only the signed checkpoint in the
   * file proves the id.
   */
  readonly id: number;
}

/** Lists the checkpoint files by the id of the tenant, the newest first. */
export async function listCheckpointFiles(directory: string) {
  return (await readFiles(directory)).checkpoints;
}

async function readFiles(directory: string) {
  const checkpoints = new Map<string, CheckpointFile[]>();
  const unfinished: (CheckpointFile & { readonly tenantId: string })[] = [];
  for (const name of await readdir(directory)) {
    const [, tenantId = '', id = '0', temporary] = fileName.exec(name) ?? [];
    if (parseUuid(tenantId) !== tenantId) continue;
    const file = { path: join(directory, name), id: Number(id) };
    if (temporary === undefined) checkpoints.set(tenantId, [...(checkpoints.get(tenantId) ?? []), file]);
    else unfinished.push({ ...file, tenantId });
  }
  for (const files of checkpoints.values()) files.sort((a, b) => b.id - a.id);
  return { checkpoints, unfinished };
}

/**
 * Returns the path of the file. Each checkpoint has its own file, so that a slow server cannot overwrite the newer
 * checkpoint of another server.
 */
export async function writeCheckpointFile(
  directory: string,
  tenantId: string,
  id: number,
  checkpoint: string,
): Promise<string> {
  const path = join(directory, `${tenantId}.${id}.checkpoint`);
  await replaceFile(path, checkpoint, `${path}.${randomUUID()}.new`);
  return path;
}

/** Returns undefined if the file is missing, for example because another server has replaced it by a newer one. */
export async function readCheckpointFile({ path }: CheckpointFile): Promise<string | undefined> {
  return ifExists(readFile(path, 'utf8'));
}

export async function removeCheckpointFiles(files: readonly CheckpointFile[]): Promise<void> {
  for (const { path } of files) await rm(path, { force: true });
}

/**
 * Removes the temporary files of interrupted writes if they are older than the tenant's newest checkpoint. If another
 * server is still writing one of these files, it only writes an outdated checkpoint.
 */
export async function removeUnfinishedFiles(directory: string): Promise<void> {
  const { checkpoints, unfinished } = await readFiles(directory);
  const newest = (tenantId: string): number => checkpoints.get(tenantId)?.[0]?.id ?? 0;
  await removeCheckpointFiles(unfinished.filter(({ tenantId, id }) => id < newest(tenantId)));
}

/** Removes all checkpoint files of a tenant that was destroyed. */
export async function removeFilesOfTenant(directory: string, tenantId: string): Promise<void> {
  const { checkpoints, unfinished } = await readFiles(directory);
  await removeCheckpointFiles([
    ...(checkpoints.get(tenantId) ?? []),
    ...unfinished.filter((file) => file.tenantId === tenantId),
  ]);
}
