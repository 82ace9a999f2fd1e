// For `lock` and the commands `eaas import` and `eaas-migrate adopt`, and for tests of services in memory.
import { createHash } from 'node:crypto';
import { InputError } from '@eaas/protocol';
import { type Contents, withMaterial } from '@eaas/service';
import { askNewPassphrase, askPassphrase } from './ask.ts';
import {
  kmsOfEnvironment,
  openerOfEnvironment,
  passphraseOpener,
  sealedOfEnvironment,
} from './file-opener.ts';
import { nameOf, readKeyFile, relockKeyFile } from './key-file.ts';
import { openKeyFile, readUnopened, withOpened } from './key-file-format.ts';
import type { Opener } from './opener.ts';
import { openSealed } from './sealed.ts';

export { askHidden } from './ask.ts';
export { respond } from './door.ts';
export { openOfEnvironment } from './file-opener.ts';
export { memoryStore, type MemoryTenant } from './memory-store.ts';

/** A key file with its material, which is null where it was erased. */
export interface OpenedFile extends Contents<Uint8Array | null> {
  readonly tenantId: string;
  readonly secret: Uint8Array;
  readonly sha256: string;
}

/**
 * Opens a key file by the variables of `createLocalService`. If it is locked with a passphrase and no variable is set, asks for
 * the passphrase. Without a path, opens the keys in the variable EAAS_LOCAL. Throws InputError.
 */
export async function openForImport(path: string | undefined): Promise<OpenedFile> {
  const { text, file } = await (path === undefined ? openVariable() : openFile(path));
  const { tenantId, secret } = file;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { tenantId, secret, sha256, ...withOpened(file, (_, material) => material) };
}

async function openFile(path: string) {
  const { text } = readKeyFile(path);
  return { text, file: openKeyFile(nameOf(path), text, await openerOf(path, text)) };
}

function openVariable() {
  const text = sealedOfEnvironment();
  if (text === undefined) throw new InputError('pass the path of the key file, or set EAAS_LOCAL');
  return { text, file: openSealed(text, kmsOfEnvironment()) };
}

/** Overwrites every secret of an opened file. */
export function wipeKeyFile({ secret, tenantId, ...contents }: OpenedFile): void {
  secret.fill(0);
  withMaterial(tenantId, contents, (_, material) => material?.fill(0));
}

/**
 * Locks a key file, or gives it another lock: that of EAAS_LOCAL_NEW_PASSPHRASE or EAAS_LOCAL_NEW_KEY_COMMAND, or else
 * a passphrase that it asks for. Opens the file as `openForImport` does. Throws InputError.
 */
export async function lockKeyFile(path: string) {
  const { text } = readKeyFile(path);
  const current = await openerOf(path, text);
  const file = openKeyFile(nameOf(path), text, current);
  file.secret.fill(0);
  const ofEnvironment = openerOfEnvironment('EAAS_LOCAL_NEW');
  const next = ofEnvironment.kind === 'none' ? passphraseOpener(await askNewPassphrase(path)) : ofEnvironment;
  const relocked = relockKeyFile(path, current, next);
  relocked.secret.fill(0);
  return { tenantId: file.tenantId, before: file.lock.kind, after: relocked.lock.kind };
}

async function openerOf(path: string, text: string): Promise<Opener> {
  const ofEnvironment = openerOfEnvironment();
  const asks = ofEnvironment.kind === 'none' && readUnopened(nameOf(path), text).lock.kind === 'passphrase';
  return asks ? passphraseOpener(await askPassphrase(path)) : ofEnvironment;
}
