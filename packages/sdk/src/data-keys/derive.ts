import {
  type Context,
  type DataKey,
  encodeContext,
  type Engine,
  type Envelope,
  type SyncEngine,
  wipeDataKey,
  type Wrapped,
} from '@eaas/protocol/internal-core';
import { dataKeyFrom, dataKeyInfo, personName } from '@eaas/protocol/internal';
import { toBase64 } from '@eaas/protocol/base64';
import type { hkdf } from '#engines';

/** The values that share a data key. */
export interface Partition {
  readonly keyId: string;
  readonly subject?: string | undefined;
  readonly scope?: string | undefined;
  readonly wrapContext?: Context | undefined;
  /** The user on whose behalf a request is made. Data keys for encryption do not depend on it. */
  readonly user?: string | undefined;
}

export interface DerivedDataKey {
  readonly keyId: string;
  readonly keyVersion: number;
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

/** Derives a data key with the given HKDF and engines. The caller wipes `dek`. */
export async function deriveWith(
  kdf: typeof hkdf,
  engine: Engine,
  second: SyncEngine | undefined,
  dek: Uint8Array,
  wrapped: Wrapped,
  header?: Uint8Array,
): Promise<DerivedDataKey> {
  const derived = await kdf(dek, dataKeyInfo);
  try {
    const values = await dataKeyFrom(engine, derived, wrapped, header);
    const sync =
      engine === second
        ? (values as DataKey<'sync'>)
        : second && dataKeyFrom(second, derived, wrapped, header);
    const { keyId, keyVersion, wrappedKey } = wrapped;
    return { keyId, keyVersion, wrappedText: toBase64(wrappedKey), values, sync, createdAt: Date.now() };
  } finally {
    derived.fill(0);
  }
}

export function wipe({ values, sync, next }: DerivedDataKey): void {
  wipeDataKey(values);
  if (sync) wipeDataKey(sync);
  if (next) wipe(next);
}
