// What opens the keys of a local service, on every platform. What reads variables and runs programs is in file-opener.ts.

/** What the secret of a key file is sealed under. */
export type Lock =
  | { readonly kind: 'none' }
  | { readonly kind: 'passphrase'; readonly salt: string }
  | { readonly kind: 'key' };

/** Opens files with one kind of lock. */
export interface Opener {
  readonly kind: Lock['kind'];
  readonly newLock: () => Lock;
  /** Returns the key that seals the secret of the file, or null if nothing does. The caller must wipe it. */
  readonly keyFor: (lock: Lock) => Uint8Array | null;
}

export const advice: Readonly<Record<Lock['kind'], string>> = {
  none: 'unset EAAS_LOCAL_PASSPHRASE and EAAS_LOCAL_KEY_COMMAND',
  passphrase: 'set EAAS_LOCAL_PASSPHRASE to its passphrase',
  key: 'set EAAS_LOCAL_KEY_COMMAND to the program that prints its key',
};

/** Opens what is not locked. */
export const unlocked: Opener = { kind: 'none', newLock: () => ({ kind: 'none' }), keyFor: () => null };
