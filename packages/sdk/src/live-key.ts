import { type Context, type DataKey, encodeContext, wipeDataKey, type Wrapped } from '@eaas/protocol';
import { dataKeyFrom, dataKeyInfo } from '@eaas/protocol/envelope';
import { toBase64 } from '@eaas/protocol/base64';
import { longest } from './deadline.ts';
import type { Engines } from './engines.ts';

/** What data keys are kept apart by: one that serves one partition never serves another. */
export interface Partition {
  readonly keyId: string;
  /** The caller's own: one customer's from another's, say. */
  readonly scope?: string | undefined;
  /** Bound to the data key by the service, which unwraps it for nothing else. */
  readonly wrapContext?: Context | undefined;
}

/** A data key in memory, derived for the engines that use it. */
export interface LiveKey {
  readonly keyId: string;
  readonly keyVersion: number;
  /** The wrapped key as a bundle shows it. */
  readonly wrappedText: string;
  readonly fields: DataKey;
  /** Absent where it would be a second copy that nobody asked for. */
  readonly sync: DataKey<'sync'> | undefined;
  readonly born: number;
}

/** The name of a partition. Throws InputError for a context that is none. */
export function nameOf(keyId: string, { scope, wrapContext }: Omit<Partition, 'keyId'>): string {
  if (scope === undefined && !wrapContext) return keyId;
  return JSON.stringify([keyId, scope, toBase64(encodeContext(wrapContext))]);
}

/** Derives a data key, and overwrites the DEK. */
export async function bringToLife(
  engines: Engines,
  dek: Uint8Array,
  wrapped: Wrapped,
  wantSync: boolean | undefined,
): Promise<LiveKey> {
  let derived = dek;
  try {
    derived = await hkdf(dek);
    const fields = await dataKeyFrom(engines.fields, derived, wrapped);
    const same = engines.fields === engines.sync;
    const own = wantSync && !same && engines.sync;
    const sync = own ? dataKeyFrom(own, derived, wrapped) : undefined;
    return {
      keyId: wrapped.keyId,
      keyVersion: wrapped.keyVersion,
      wrappedText: toBase64(wrapped.wrappedKey),
      fields,
      sync: same ? fields : sync,
      born: Date.now(),
    };
  } finally {
    dek.fill(0);
    derived.fill(0);
  }
}

/** HKDF-SHA-256 of a DEK. By the platform: a synchronous one would take up a fifth of what a browser downloads. */
async function hkdf(dek: Uint8Array): Promise<Uint8Array> {
  const { subtle } = crypto;
  const key = await subtle.importKey('raw', dek as BufferSource, 'HKDF', false, ['deriveBits']);
  const params = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info: dataKeyInfo };
  return new Uint8Array(await subtle.deriveBits(params, key, 512));
}

/** Overwrites it, where its engines can. */
export function endLife({ fields, sync }: LiveKey): void {
  wipeDataKey(fields);
  if (sync) wipeDataKey(sync);
}

/** A timer that does not keep the process alive. */
export function later(milliseconds: number, work: () => void): Timer {
  const timer = setTimeout(work, Math.min(milliseconds, longest));
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

export type Timer = ReturnType<typeof setTimeout>;
