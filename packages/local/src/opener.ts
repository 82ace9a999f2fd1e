// What opens the keys of a local service, on every platform. What reads variables and runs programs is in file-opener.ts.
import { InputError, pae } from '@eaas/protocol';
import { readBase64 } from '@eaas/protocol/internal-base64';
import { attempt, using } from '@eaas/protocol/internal';
import { hmac, rootKey } from '@eaas/service';

/** What the secret of a key file is sealed under. */
export type Lock =
  | { readonly kind: 'none' }
  | { readonly kind: 'passphrase'; readonly salt: string }
  | { readonly kind: 'key' }
  | { readonly kind: 'kms'; readonly sealed: string };

/** Opens files with one kind of lock. */
export interface Opener {
  readonly kind: Lock['kind'];
  readonly newLock: () => Lock;
  /** Returns the key that seals the secret of the file, or null if nothing does. The caller must wipe it. */
  readonly keyFor: (lock: Lock, tenantId: string) => Uint8Array | null;
}

export const advice: Readonly<Record<Lock['kind'], string>> = {
  none: 'unset EAAS_LOCAL_PASSPHRASE, EAAS_LOCAL_KEY_COMMAND and EAAS_LOCAL_KMS_COMMAND',
  passphrase: 'set EAAS_LOCAL_PASSPHRASE to its passphrase',
  key: 'set EAAS_LOCAL_KEY_COMMAND to the program that prints its key',
  kms: 'only the key service that sealed it opens it, by `open` of `createLocalService`, or for a command by EAAS_LOCAL_KMS_COMMAND',
};

/** Some platforms have no `process`, or no right to read it. */
export const isProduction = (): boolean => attempt(() => process.env['NODE_ENV']) === 'production';

/** The id of the key that the app expects, if it says so. A page has no `process`. */
export const keyIdOfEnvironment = () => attempt(() => globalThis.process?.env['EAAS_KEY_ID']) || undefined;

/** Opens what is not locked. */
export const unlocked: Opener = { kind: 'none', newLock: () => ({ kind: 'none' }), keyFor: () => null };

/** Returns what a key service must open for a lock. Throws InputError for another lock. */
export function sealedBytesOf(lock: Lock): Uint8Array<ArrayBuffer> {
  const bytes = lock.kind === 'kms' ? readBase64(lock.sealed) : undefined;
  if (bytes && bytes.length > 0 && bytes.length <= 2_048) return bytes;
  throw new InputError(
    'the sealed text has no lock of a key service, and somebody might have replaced it: restore it from your copy, or omit `open`',
  );
}

/**
 * Returns the key of a lock from the 32 bytes that a key service opened, which are wiped. The label keeps it apart from a root key
 * of a server, which the same key service may have sealed.
 */
export const keyOfService = (opened: Uint8Array, tenantId: string): Uint8Array =>
  using(opened, () => hmac(rootKey(opened).key, pae('eaas local lock v1', tenantId)));
