import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { inLine } from '@eaas/protocol/internal';
import { WrongUsage } from './failure.ts';
import { note } from './output.ts';

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

export interface Inputs {
  readonly inputs: Input[];
  /** The number of files and folders that cannot be read. */
  unreadable: number;
}

export async function findInputs(paths: readonly string[], options: InputOptions): Promise<Inputs> {
  if (paths.length === 0 && process.stdin.isTTY) {
    throw new WrongUsage('Pass at least one file, or pipe data to standard input.');
  }
  const named = paths.length === 0 ? [standard] : paths;
  if (named.includes(standard)) {
    if (named.length > 1) throw new WrongUsage('`-` means standard input and must be the only path.');
    const input = { path: standard, relative: standard, isInFolder: false, size: undefined, mode: undefined };
    return { inputs: [input], unreadable: 0 };
  }
  const found: Inputs = { inputs: [], unreadable: 0 };
  for (const path of named) await addInputsAt(path, options, found);
  return found;
}

async function addInputsAt(path: string, options: InputOptions, found: Inputs): Promise<void> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new WrongUsage(
      `${inLine(path)} cannot be read (${error.code}): check its path and its permissions.`,
    );
  });
  if (stats.isDirectory()) {
    if (options.isRecursive) return addFolder(path, '', options, found);
    throw new WrongUsage(`${inLine(path)} is a folder: add --recursive to process the files in it.`);
  }
  found.inputs.push(inputOf(path, basename(path), false, stats));
}

async function addFolder(root: string, below: string, options: InputOptions, found: Inputs): Promise<void> {
  const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1);
  const folder = join(root, below);
  const entries = await readable(folder, found, readdir(folder, { withFileTypes: true }));
  for (const entry of entries?.sort(byName) ?? []) {
    const relative = join(below, entry.name);
    const path = join(root, relative);
    if (entry.isDirectory()) await addFolder(root, relative, options, found);
    else if (entry.isFile() && options.isWanted(entry.name)) {
      const stats = await readable(path, found, stat(path));
      if (stats) found.inputs.push(inputOf(path, relative, true, stats));
    }
  }
}

async function readable<T>(path: string, found: Inputs, reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    // Node.js replaces each byte that is not UTF-8, so a path with such a byte does not exist.
    const isMisnamed = error.code === 'ENOENT' && path.includes('\uFFFD');
    const reason = isMisnamed ? 'its name is not UTF-8, so rename it' : error.code;
    note(`${inLine(path)} cannot be read (${reason}).`);
    found.unreadable++;
    return undefined;
  });
}

function inputOf(path: string, relative: string, isInFolder: boolean, stats: Stats): Input {
  const size = stats.isFile() ? stats.size : undefined;
  return { path, relative, isInFolder, size, mode: stats.mode & 0o777 };
}
