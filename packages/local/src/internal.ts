// For the commands `eaas import` and `eaas local lock`.
import { createHash } from 'node:crypto';
import { type Lock, type Opener, openerOfEnvironment, passphraseOpener } from './file-opener.ts';
import { readKeyFile, relockKeyFile } from './key-file.ts';
import { type KeyFile, openKeyFile, readLock, wipeKeyFile } from './key-file-format.ts';

export { type KeyFile, wipeKeyFile } from './key-file-format.ts';

/**
 * Opens a key file by the variables of `localService`. If it is locked with a passphrase and no variable is set, asks for
 * the passphrase. Throws InputError.
 */
export async function openForImport(
  path: string,
  askPassphrase: () => Promise<string>,
): Promise<KeyFile & { readonly sha256: string }> {
  const { text } = readKeyFile(path);
  const opener = await openerOf(path, text, askPassphrase);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { ...openKeyFile(path, text, opener), sha256 };
}

/** The locks of a key file before and after `lockKeyFile`, and its tenant. */
export interface LockedFile {
  readonly tenantId: string;
  readonly before: Lock['kind'];
  readonly after: Lock['kind'];
}

/**
 * Locks a key file, or gives it another lock: that of EAAS_LOCAL_NEW_PASSPHRASE or EAAS_LOCAL_NEW_KEY_COMMAND, or else
 * the passphrase that `askNew` returns. Opens the file as `openForImport` does. Throws InputError.
 */
export async function lockKeyFile(
  path: string,
  askPassphrase: () => Promise<string>,
  askNew: () => Promise<string>,
): Promise<LockedFile> {
  const { text } = readKeyFile(path);
  const current = await openerOf(path, text, askPassphrase);
  const file = openKeyFile(path, text, current);
  wipeKeyFile(file);
  const ofEnvironment = openerOfEnvironment('EAAS_LOCAL_NEW');
  const next = ofEnvironment.kind === 'none' ? passphraseOpener(await askNew()) : ofEnvironment;
  const relocked = relockKeyFile(path, current, next);
  wipeKeyFile(relocked);
  return { tenantId: file.tenantId, before: file.lock.kind, after: relocked.lock.kind };
}

async function openerOf(path: string, text: string, askPassphrase: () => Promise<string>): Promise<Opener> {
  const ofEnvironment = openerOfEnvironment();
  const asks = ofEnvironment.kind === 'none' && readLock(path, text).kind === 'passphrase';
  return asks ? passphraseOpener(await askPassphrase()) : ofEnvironment;
}
