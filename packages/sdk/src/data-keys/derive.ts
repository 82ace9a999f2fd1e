import { hkdf } from '#engines';
import { type Context, type DataKey, encodeContext, wipeDataKey, type Wrapped } from '@eaas/protocol';
import { dataKeyFrom, dataKeyInfo } from '@eaas/protocol/internal';
import { toBase64 } from '@eaas/protocol/base64';
import type { Engines } from '../engines.ts';
import { loadNoble } from '../noble-engines.ts';

/** A group of data keys. A data key of one partition is never used for another partition. */
export interface Partition {
  readonly keyId: string;
  /** A name that the caller chooses, such as the id of a customer. */
  readonly scope?: string | undefined;
  /** The service binds this context to the data key, and unwraps the data key only with the same context. */
  readonly wrapContext?: Context | undefined;
}

/** A data key in memory, with a derived key for each engine that uses the data key. */
export interface DerivedDataKey {
  readonly keyId: string;
  readonly keyVersion: number;
  /** The wrapped key in base64, as in a bundle. */
  readonly wrappedText: string;
  /** The derived key for asynchronous calls. */
  readonly values: DataKey;
  /** The derived key for synchronous calls. Undefined if the engines differ and no call has requested it. */
  readonly sync: DataKey<'sync'> | undefined;
  readonly createdAt: number;
}

/** Returns the name of a partition. Throws InputError for an invalid context. */
export function partitionName(keyId: string, { scope, wrapContext }: Omit<Partition, 'keyId'>): string {
  if (scope === undefined && !wrapContext) return keyId;
  return JSON.stringify([keyId, scope, toBase64(encodeContext(wrapContext))]);
}

/** Derives a data key from a DEK, and overwrites the DEK. `withSync` also derives it for synchronous calls. */
export async function deriveDataKey(
  { values: engine, sync: syncEngine }: Engines,
  dek: Uint8Array,
  wrapped: Wrapped,
  withSync: boolean,
): Promise<DerivedDataKey> {
  const isSame = engine === syncEngine;
  let derived = dek;
  try {
    const second = withSync && !isSame ? (syncEngine ?? (await loadNoble()).nobleEngine) : undefined;
    derived = await hkdf(dek, dataKeyInfo);
    const values = await dataKeyFrom(engine, derived, wrapped);
    const sync = isSame ? (values as DataKey<'sync'>) : second && dataKeyFrom(second, derived, wrapped);
    const { keyId, keyVersion } = wrapped;
    return {
      keyId,
      keyVersion,
      wrappedText: toBase64(wrapped.wrappedKey),
      values,
      sync,
      createdAt: Date.now(),
    };
  } finally {
    dek.fill(0);
    derived.fill(0);
  }
}

/** Makes a data key unusable, and overwrites it if its engines can. */
export function wipe({ values, sync }: DerivedDataKey): void {
  wipeDataKey(values);
  if (sync) wipeDataKey(sync);
}
