import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { inLine } from '@eaas/protocol/internal';
import { WrongUsage } from './failure.ts';

export const suffix = '.eaas';

export const standard = '-';

export interface Input {
  readonly path: string;
  readonly relative: string;
  readonly isInFolder: boolean;
  readonly size: number | undefined;
  readonly mode: number | undefined;
}

export interface InputOptions {
  readonly isRecursive: boolean;
  readonly isWanted: (name: string) => boolean;
}

export const isEncryptedName = (name: string): boolean => name.endsWith(suffix);

export async function findInputs(paths: readonly string[], options: InputOptions): Promise<Input[]> {
  if (paths.length === 0 && process.stdin.isTTY) {
    throw new WrongUsage('Pass at least one file, or pipe data to standard input.');
  }
  const named = paths.length === 0 ? [standard] : paths;
  if (named.includes(standard)) {
    if (named.length > 1) throw new WrongUsage('`-` means standard input and must be the only path.');
    return [{ path: standard, relative: standard, isInFolder: false, size: undefined, mode: undefined }];
  }
  const found: Input[] = [];
  for (const path of named) found.push(...(await inputsAt(path, options)));
  return found;
}

async function inputsAt(path: string, options: InputOptions): Promise<Input[]> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new WrongUsage(`${inLine(path)} cannot be read (${error.code}).`);
  });
  if (!stats.isDirectory()) return [inputOf(path, basename(path), false, stats)];
  if (!options.isRecursive) {
    throw new WrongUsage(`${inLine(path)} is a folder: add --recursive to process the files in it.`);
  }
  return inFolder(path, '', options);
}

async function inFolder(root: string, below: string, options: InputOptions): Promise<Input[]> {
  const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1);
  const found: Input[] = [];
  for (const entry of (await readdir(join(root, below), { withFileTypes: true })).sort(byName)) {
    const relative = join(below, entry.name);
    const path = join(root, relative);
    if (entry.isDirectory()) found.push(...(await inFolder(root, relative, options)));
    else if (entry.isFile() && options.isWanted(entry.name)) {
      found.push(inputOf(path, relative, true, await stat(path)));
    }
  }
  return found;
}

function inputOf(path: string, relative: string, isInFolder: boolean, stats: Stats): Input {
  const size = stats.isFile() ? stats.size : undefined;
  return { path, relative, isInFolder, size, mode: stats.mode & 0o777 };
}
