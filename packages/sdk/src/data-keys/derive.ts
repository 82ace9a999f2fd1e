// Derives from a data key what values are encrypted with, and the commitment to it.
import {
  type Context,
  type DataKey,
  dataKeyFrom,
  dataKeyInfo,
  encodeContext,
  type Envelope,
  personName,
  wipeDataKey,
  type Wrapped,
} from '@eaas/protocol/internal';
import { toBase64 } from '@eaas/protocol/internal-base64';
import { hkdf, loadNoble } from '#engines';
import type { Engines } from '../engines/engines.ts';

/** The values that share a data key. */
export interface Partition {
  readonly keyId: string;
  readonly subject?: string | undefined;
  readonly scope?: string | undefined;
  readonly wrapContext?: Context | undefined;
  /** The user on whose behalf a request is made. Data keys for encryption do not depend on it. */
  readonly user?: string | undefined;
}

export interface DerivedDataKey extends Pick<Wrapped, 'keyId' | 'keyVersion'> {
  readonly wrappedText: string;
  readonly values: DataKey;
  readonly sync: DataKey<'sync'> | undefined;
  readonly createdAt: number;
  /** The id of the half that is mixed in. Absent without a half. */
  readonly half?: string;
  /** The same data key with the next half of the client's list. */
  readonly next?: DerivedDataKey | undefined;
  /** Returns the data key with the half under which an envelope is, or one that refuses it. */
  readonly pick?: (envelope: Pick<Envelope, 'commitment'>) => DerivedDataKey;
}

export function partitionName({ keyId, subject, scope, wrapContext }: Partition, user?: string): string {
  if (scope === undefined && !wrapContext && subject === undefined && user === undefined) return keyId;
  const person = subject && personName(subject);
  return JSON.stringify([keyId, scope, toBase64(encodeContext(wrapContext)), person, user]);
}

export async function deriveDataKey(
  { values: engine, sync: syncEngine }: Engines,
  dek: Uint8Array,
  wrapped: Wrapped,
  withSync: boolean,
  header?: Uint8Array,
): Promise<DerivedDataKey> {
  const isSame = engine === syncEngine;
  let derived = dek;
  try {
    const second = withSync && !isSame ? (syncEngine ?? (await loadNoble()).nobleEngine) : undefined;
    derived = await hkdf(dek, dataKeyInfo);
    const values = await dataKeyFrom(engine, derived, wrapped, header);
    const sync = isSame
      ? (values as DataKey<'sync'>)
      : second && dataKeyFrom(second, derived, wrapped, header);
    const { keyId, keyVersion, wrappedKey } = wrapped;
    return { keyId, keyVersion, wrappedText: toBase64(wrappedKey), values, sync, createdAt: Date.now() };
  } finally {
    dek.fill(0);
    derived.fill(0);
  }
}

export function wipe({ values, sync, next }: DerivedDataKey): void {
  wipeDataKey(values);
  if (sync) wipeDataKey(sync);
  if (next) wipe(next);
}
