// A key file on the disk: its permissions, its place, and how it is replaced. Only one process at a time changes it, which
// holds its lock (file-lock.ts). The store over the file uses it (key-file-store.ts), and the command that locks files.
import {
  type BigIntStats,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process, { platform } from 'node:process';
import { InputError } from '@eaas/protocol';
import { type Held, lockNow } from './file-lock.ts';
import { formatKeyFile, type KeyFile, newKeyFile, openKeyFile, relockedKeyFile } from './key-file-format.ts';
import { isProduction, type Opener } from './opener.ts';

/** Returns the path of a key file. If it is missing, makes it, or throws InputError if `create` is false. */
export function placeOfKeyFile(given: string, opener: Opener, create: boolean): string {
  if (create) makeFolder(given);
  const path = placeOf(given);
  if (existsSync(path)) return path;
  if (!create) {
    throw new InputError(
      `there is no key file ${path}: restore it from your copy. A new file, which \`createLocalService\` ` +
        `makes without \`create: false\`, opens no value of the old one`,
    );
  }
  holding(lockNow(lockOf(path)), (lock) => {
    if (existsSync(path)) return;
    writeKeyFile(path, formatKeyFile(newKeyFile(opener)), lock);
    if (isProduction()) warnOfNewFile(path);
  });
  return path;
}

/** What errors call a key file. */
export const nameOf = (path: string): string => `the key file ${path}`;

/** Returns the path of the lock of a key file. */
export const lockOf = (path: string): string => `${path}.lock`;

/** In production, a file that is missing was probably lost. */
function warnOfNewFile(path: string): void {
  process.emitWarning(
    `made the key file ${path}, because there was none: copy it to a safe place, and pass \`create: ` +
      `false\` from now on. If there was one before, restore that one, because the new file opens none of ` +
      `its values`,
    { type: 'EaasWarning', code: 'EAAS_KEY_FILE_MADE' },
  );
}

/** Does what needs the lock, and releases it. */
export function holding<T>(lock: Held, work: (lock: Held) => T): T {
  try {
    return work(lock);
  } finally {
    lock.release();
  }
}

/**
 * Puts a key file under another lock, as one change. Throws InputError if `current` does not open the file, or if the
 * file belongs to another user, who could no longer open it.
 */
export function relockKeyFile(given: string, current: Opener, next: Opener): KeyFile {
  const path = placeOf(given);
  return holding(lockNow(lockOf(path)), (lock) => {
    const user = process.getuid?.();
    if (user !== undefined && statSync(path).uid !== user) {
      throw new InputError(
        `the key file ${path} belongs to another user: run the command as this user, who could not open a file of yours`,
      );
    }
    const file = openKeyFile(nameOf(path), readKeyFile(path).text, current);
    const relocked = relockedKeyFile(file, next);
    writeKeyFile(path, formatKeyFile(relocked), lock);
    file.secret.fill(0);
    return relocked;
  });
}

function makeFolder(given: string): void {
  const folder = dirname(resolve(given));
  if (explained(folder, 'made', () => mkdirSync(folder, { recursive: true, mode: 0o700 }))) {
    explained(folder, 'written', () => writeFileSync(join(folder, '.gitignore'), '*\n'));
  }
}

/** Returns the path of the file itself, if the given path is a link. */
function placeOf(given: string): string {
  const path = resolve(given);
  return existsSync(path) ? realpathSync(path) : path;
}

/** Reads a key file. Throws InputError if others own it, can read or write it, or can replace it in its folder. */
export function readKeyFile(path: string): { readonly text: string; readonly stamp: string } {
  const file = explained(path, 'read', () => openSync(path, 'r'));
  try {
    const stat = fstatSync(file, { bigint: true });
    if (!stat.isFile()) throw new InputError(`${path} must be a file: pass the path of a key file`);
    requirePrivate(path, stat, 0o077, 'can read or write the key file', 'chmod 600');
    const folder = dirname(path);
    requirePrivate(folder, statSync(folder), 0o022, 'can replace the key file in the folder', 'chmod go-w');
    return { text: explained(path, 'read', () => readFileSync(file, 'utf8')), stamp: stampIn(stat) };
  } finally {
    closeSync(file);
  }
}

type Owned = Record<'mode' | 'uid', number | bigint>;

/** On Windows, files have no such modes and owners, and the access rights of the user's folder decide. */
function requirePrivate(path: string, stat: Owned, forbidden: number, what: string, remedy: string): void {
  if (platform === 'win32') return;
  // Whoever owns a file knows its keys, and root reads every file.
  if (![0, process.getuid?.()].includes(Number(stat.uid))) {
    throw new InputError(
      `its owner, who is another user of this machine, ${what} ${path}: use a key file of your own, in a folder of your own`,
    );
  }
  if ((Number(stat.mode) & forbidden) !== 0) {
    throw new InputError(`other users of this machine ${what} ${path}: run \`${remedy} ${path}\``);
  }
}

/** Changes with the file. */
export function stampOf(path: string): string {
  return explained(path, 'read', () => stampIn(statSync(path, { bigint: true })));
}

const stampIn = ({ ino, mtimeNs, ctimeNs, size }: BigIntStats): string =>
  [ino, mtimeNs, ctimeNs, size].join();

/** Replaces a key file, as one change. */
export function writeKeyFile(path: string, text: string, lock: Held): void {
  const temporary = `${path}.new`;
  explained(path, 'written', () => {
    rmSync(temporary, { force: true });
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (!lock.isHeld()) {
      throw new InputError(
        `the lock of the key file ${path} was deleted during a change, so nothing was changed: repeat it`,
      );
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
  });
}

/** A renamed file survives a power cut only if its folder is flushed too. Windows cannot open a folder. */
function syncFolder(folder: string): void {
  if (platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function explained<T>(path: string, done: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof InputError || code === undefined) throw error;
    const remedy =
      code === 'ENOENT' && done === 'read'
        ? 'check the path, or restore it from your copy'
        : 'check its permissions, its owner and the free space';
    throw new InputError(`${path} cannot be ${done} (${code}): ${remedy}`);
  }
}
