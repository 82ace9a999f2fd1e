// For the command `eaas import`.
import { createHash } from 'node:crypto';
import { openerOfEnvironment, passphraseOpener } from './file-opener.ts';
import { readKeyFile } from './key-file.ts';
import { type KeyFile, openKeyFile, readLock } from './key-file-format.ts';

export type { KeyFile } from './key-file-format.ts';

/**
 * Opens a key file by the variables of `localService`. If it is locked with a passphrase and no variable is set, asks for
 * the passphrase. Throws InputError.
 */
export async function openForImport(
  path: string,
  askPassphrase: () => Promise<string>,
): Promise<KeyFile & { readonly sha256: string }> {
  const { text } = readKeyFile(path);
  const ofEnvironment = openerOfEnvironment();
  const asks = ofEnvironment.kind === 'none' && readLock(path, text).kind === 'passphrase';
  const opener = asks ? passphraseOpener(await askPassphrase()) : ofEnvironment;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { ...openKeyFile(path, text, opener), sha256 };
}
