// A tenant in a key file: its permissions, its place on the disk, and changes by several processes.
import { randomBytes } from 'node:crypto';
import {
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
import { platform } from 'node:process';
import { InputError } from '@eaas/protocol';
import { Refusal } from '@eaas/protocol/service';
import { type Held, lockNow, lockSoon } from './file-lock.ts';
import { openerOfEnvironment } from './file-opener.ts';
import { formatKeyFile, type KeyFile, newKeyFile, openKeyFile } from './key-file-format.ts';
import { type NewTenant, newTenant, type Tenant } from './tenant.ts';

/** Opens the tenant of a key file, and makes the file if it is missing. */
export function openFileTenant(given: string, fields: NewTenant): Tenant {
  const path = placeOf(given);
  const opener = openerOfEnvironment();
  if (!existsSync(path)) {
    holding(lockNow(`${path}.lock`), (lock) => {
      if (!existsSync(path)) write(path, newKeyFile(opener, randomBytes(32)), lock);
    });
  }
  let { text, stamp } = readKeyFile(path);
  let file = openKeyFile(path, text, opener);
  const tenant = newTenant({ ...fields, tenant_id: file.tenantId });
  const keep = (): void => {
    tenant.keys.clear();
    for (const key of file.keys) tenant.keys.set(key.row.key_id, key);
  };
  keep();

  function refresh(): void {
    if (stamp !== '' && stampOf(path) === stamp) return;
    const found = readKeyFile(path);
    file = openKeyFile(path, found.text, opener, file.secret);
    ({ text, stamp } = found);
    keep();
  }

  function change<T>(lock: Held, work: () => T): T {
    return holding(lock, () => {
      refresh();
      // If anything fails, memory can differ from the file, so the next call reads the file again.
      const before = stamp;
      stamp = '';
      const result = work();
      const next = { ...file, keys: Array.from(tenant.keys.values()) };
      if (formatKeyFile(next) === text) stamp = before;
      else write(path, next, lock);
      return result;
    });
  }

  const lockPath = `${path}.lock`;
  tenant.storage = {
    refresh: () => orUnavailable(refresh),
    changeNow: (work) => change(lockNow(lockPath), work),
    change: async (work) => {
      const lock = await lockSoon(lockPath).catch(refuseAsUnavailable);
      return orUnavailable(() => change(lock, work));
    },
  };
  return tenant;
}

function orUnavailable<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    return refuseAsUnavailable(error);
  }
}

function refuseAsUnavailable(error: unknown): never {
  if (!(error instanceof InputError)) throw error;
  const { message } = error;
  throw new Refusal('unavailable', `${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
}

function holding<T>(lock: Held, work: (lock: Held) => T): T {
  try {
    return work(lock);
  } finally {
    lock.release();
  }
}

/** Makes the folder if it is missing. Returns the path of the file itself, if the given path is a link. */
function placeOf(given: string): string {
  const path = resolve(given);
  const folder = dirname(path);
  if (explained(folder, 'made', () => mkdirSync(folder, { recursive: true, mode: 0o700 }))) {
    explained(folder, 'written', () => writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' }));
  }
  return existsSync(path) ? realpathSync(path) : path;
}

interface Read {
  readonly text: string;
  /** Changes with the file. */
  readonly stamp: string;
}

/** Reads a key file. Throws InputError if others can read or write it, or can replace it in its folder. */
export function readKeyFile(path: string): Read {
  const file = explained(path, 'read', () => openSync(path, 'r'));
  try {
    const stat = fstatSync(file, { bigint: true });
    if (!stat.isFile()) throw new InputError(`${path} must be a file: pass the path of a key file`);
    requirePrivate(path, Number(stat.mode), 0o077, 'can read or write the key file', 'chmod 600');
    const folder = dirname(path);
    requirePrivate(
      folder,
      statSync(folder).mode,
      0o022,
      'can replace the key file in the folder',
      'chmod go-w',
    );
    return { text: explained(path, 'read', () => readFileSync(file, 'utf8')), stamp: stampIn(stat) };
  } finally {
    closeSync(file);
  }
}

/** On Windows, files have no such modes, and the access rights of the user's folder decide. */
function requirePrivate(path: string, mode: number, forbidden: number, what: string, remedy: string): void {
  if (platform === 'win32' || (mode & forbidden) === 0) return;
  throw new InputError(`other users of this machine ${what} ${path}: run \`${remedy} ${path}\``);
}

function stampOf(path: string): string {
  return explained(path, 'read', () => stampIn(statSync(path, { bigint: true })));
}

function stampIn(stat: {
  readonly ino: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly size: bigint;
}) {
  return [stat.ino, stat.mtimeNs, stat.ctimeNs, stat.size].join();
}

function write(path: string, file: KeyFile, lock: Held): void {
  const temporary = `${path}.new`;
  explained(path, 'written', () => {
    rmSync(temporary, { force: true });
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(descriptor, formatKeyFile(file));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (!lock.isHeld())
      throw new InputError(
        `the lock of the key file ${path} was deleted during a change, so nothing was changed: repeat it`,
      );
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
        ? 'restore it from your copy'
        : 'check its permissions, its owner and the free space';
    throw new InputError(`${path} cannot be ${done} (${code}): ${remedy}`);
  }
}
