// Finds the files that the words of a command line mean, in folders too, and tells which ones it leaves out.
import type { Dirent, Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { note, WrongUsage } from './kit.ts';
import { inLine } from '@eaas/protocol/internal';
import type { Run } from './command.ts';
import { isTemporary, noteLeftovers } from './leftovers.ts';

export const suffix = '.eaas';

export const standard = '-';

export interface Input {
  readonly path: string;
  readonly relative: string;
  readonly isInFolder: boolean;
  /** False for standard input, pipes and devices. */
  readonly isFile: boolean;
  readonly size: number | undefined;
}

export const isEncryptedName = (name: string): boolean => name.endsWith(suffix);

export interface Inputs {
  readonly inputs: Input[];
  /** The number of files and folders that cannot be read. */
  unreadable: number;
}

interface Found extends Inputs {
  /** The folders of all inputs. */
  readonly folders: Set<string>;
  readonly skipped: string[];
}

interface Wanted {
  readonly isRecursive: boolean;
  /** Whether a file in a folder is an input, by its name. */
  readonly isWanted: (name: string) => boolean;
}

/** Finds the files that the paths of the command name, and the wanted ones in folders. */
export async function findInputs(
  { paths, options }: Pick<Run, 'paths' | 'options'>,
  isWanted: (name: string) => boolean,
): Promise<Inputs> {
  const wanted = { isRecursive: options.recursive === true, isWanted };
  if (paths.length === 0 && process.stdin.isTTY) {
    throw new WrongUsage('Pass at least one file, or pipe data to standard input.');
  }
  const named = paths.length === 0 ? [standard] : paths;
  if (named.includes(standard)) {
    if (named.length > 1) throw new WrongUsage('`-` means standard input and must be the only path.');
    const input = { path: standard, relative: standard, isInFolder: false, isFile: false, size: undefined };
    return { inputs: [input], unreadable: 0 };
  }
  const found: Found = { inputs: [], unreadable: 0, folders: new Set(), skipped: [] };
  for (const path of named) await addInputsAt(path, wanted, found);
  noteSkipped(found.skipped);
  await noteLeftovers(found.folders);
  return found;
}

async function addInputsAt(path: string, wanted: Wanted, found: Found): Promise<void> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new WrongUsage(
      `${inLine(path)} cannot be read (${error.code}): check its path and its permissions.`,
    );
  });
  if (stats.isDirectory()) {
    if (wanted.isRecursive) return addFolder(path, '', wanted, found);
    throw new WrongUsage(`${inLine(path)} is a folder: add --recursive to process the files in it.`);
  }
  found.folders.add(dirname(path));
  found.inputs.push(inputOf(path, basename(path), false, stats));
}

async function addFolder(root: string, below: string, wanted: Wanted, found: Found): Promise<void> {
  const byName = (a: Dirent, b: Dirent): number => (a.name < b.name ? -1 : 1);
  const folder = join(root, below);
  found.folders.add(folder);
  const entries = await readable(folder, found, readdir(folder, { withFileTypes: true }));
  for (const entry of entries?.sort(byName) ?? []) {
    const relative = join(below, entry.name);
    const path = join(root, relative);
    if (entry.isDirectory()) await addFolder(root, relative, wanted, found);
    else if (!entry.isFile()) {
      if (wanted.isWanted(entry.name) || (await isFolder(path))) {
        found.skipped.push(`${inLine(path)} (${kindOf(entry)})`);
      }
    } else if (wanted.isWanted(entry.name) && !isTemporary(entry.name)) {
      const stats = await readable(path, found, lstat(path));
      if (stats?.isFile()) found.inputs.push(inputOf(path, relative, true, stats));
    }
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

function kindOf(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isFIFO()) return 'pipe';
  return entry.isSocket() ? 'socket' : 'device';
}

function noteSkipped(skipped: readonly string[]): void {
  if (skipped.length === 0) return;
  const what = skipped.length === 1 ? 'entry that is not a file' : 'entries that are not files';
  note([`Skipped ${skipped.length} ${what}:`, ...skipped].join('\n  '));
}

async function readable<T>(path: string, found: Found, reading: Promise<T>): Promise<T | undefined> {
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
  const isFile = stats.isFile();
  return { path, relative, isInFolder, isFile, size: isFile ? stats.size : undefined };
}
