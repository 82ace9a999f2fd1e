import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { WrongUsage } from './failure.ts';
import { inLine } from './output.ts';

/** The end of the name of an encrypted file. */
export const suffix = '.eaas';

/** The name of standard input and standard output on the command line. */
export const standard = '-';

/** A file to read. */
export interface Input {
  /** The path of the file. `-` is standard input. */
  readonly path: string;
  /** The path of the file relative to the folder that the command line names. The base name of any other file. */
  readonly relative: string;
  readonly isInFolder: boolean;
  /** The length in bytes. Undefined for standard input and for pipes. */
  readonly size: number | undefined;
  /** The permissions of the file. Undefined for standard input. */
  readonly mode: number | undefined;
}

export interface InputOptions {
  readonly isRecursive: boolean;
  /** Whether a file in a folder is read, by its name. A file that the command line names is always read. */
  readonly isWanted: (name: string) => boolean;
}

/** Whether the name is that of an encrypted file. */
export const isEncryptedName = (name: string): boolean => name.endsWith(suffix);

/** Finds the files of a command line. Reads standard input if it names no file. Throws WrongUsage. */
export async function findInputs(paths: readonly string[], options: InputOptions): Promise<Input[]> {
  if (paths.length === 0 && process.stdin.isTTY) {
    throw new WrongUsage('Name at least one file, or pipe data to standard input.');
  }
  const named = paths.length === 0 ? [standard] : paths;
  if (named.includes(standard)) {
    if (named.length > 1) throw new WrongUsage('`-` reads standard input, so it must be the only path.');
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

/** Finds the files in a folder and its subfolders, in the order of their names. Does not follow symbolic links. */
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
