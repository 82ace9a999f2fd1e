// Writes an output under a temporary name and renames it when it is complete, so nobody ever sees half a file.
import { type FileHandle, link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inLine } from '@eaas/protocol/internal';
import { FileFailure } from './failure.ts';
import { standard } from './inputs.ts';
import { temporaryName } from './leftovers.ts';
import { exists } from './output-paths.ts';

export interface WriteOptions {
  readonly force: boolean;
  readonly mode: number | undefined;
  /** Called when the new file is complete and does not have its name yet. If it throws, nothing is replaced. */
  readonly beforeRename?: () => Promise<void>;
}

// Only a call that sets the umask returns it safely: without an argument, it is 0 for a moment.
const umask = process.umask(0o077);
process.umask(umask);

/** The permissions that a program gives a new file: none that the umask of the user forbids. */
export const underUmask = (mode: number): number => mode & ~umask;

export async function writePieces(
  path: string,
  pieces: AsyncIterable<Uint8Array>,
  { force, mode, beforeRename }: WriteOptions,
): Promise<void> {
  if (path === standard) return writeToStandardOutput(pieces);
  const folder = dirname(path);
  await makeFolder(folder);
  const temporary = join(folder, temporaryName());
  const file = await open(temporary, 'wx', 0o600);
  try {
    await fill(file, pieces, mode);
    await beforeRename?.();
    await moveTo(path, temporary, force);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Creates a folder and its missing parents. Node's option `recursive` does this too, but never returns where the system
 * refuses a new folder with ENOENT, as it does in /proc.
 */
async function makeFolder(path: string): Promise<void> {
  if (await exists(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function fill(
  file: FileHandle,
  pieces: AsyncIterable<Uint8Array>,
  mode: number | undefined,
): Promise<void> {
  try {
    for await (const piece of pieces) await file.appendFile(piece);
    if (mode !== undefined) await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

// The error codes of file systems without hard links, such as exFAT.
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

async function moveTo(path: string, temporary: string, force: boolean): Promise<void> {
  if (force) return rename(temporary, path);
  const taken = new FileFailure(`${inLine(path)} exists: add --force to overwrite it.`);
  try {
    // Uses `link`, which fails if the file exists, and not `rename`, which would replace the file.
    await link(temporary, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw taken;
    if (!noLinks.has(code)) throw error;
    if (await exists(path)) throw taken;
    return rename(temporary, path);
  }
  await rm(temporary);
}

async function writeToStandardOutput(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  }
}
