import type { Dirent, Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { WrongUsage } from './failure.ts';
import { inLine } from './output.ts';

/** The file extension of an encrypted file. */
export const suffix = '.eaas';

/** The name of standard input and standard output on the command line. */
export const standard = '-';

export interface Input {
  /** The path of the file. `-` is standard input. */
  readonly path: string;
  /**
   * The path of the file relative to the folder on the command line, or the base name of a file on the command line.
   */
  readonly relative: string;
  readonly isInFolder: boolean;
  /** The length of the file in bytes. Undefined for standard input and for pipes. */
  readonly size: number | undefined;
  /** The permission bits of the file. Undefined for standard input. */
  readonly mode: number | undefined;
}

export interface InputOptions {
  readonly isRecursive: boolean;
  /** Returns whether to read a file of a folder, by the name of the file. Files on the command line are always read. */
  readonly isWanted: (name: string) => boolean;
}

/** Whether a file name ends with the extension of encrypted files. */
export const isEncryptedName = (name: string): boolean => name.endsWith(suffix);

/** Finds the files of a command line. Without a path, the program reads standard input. Throws WrongUsage. */
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

/** Finds the files in a folder and its subfolders, sorted by name. Does not follow symbolic links. */
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
