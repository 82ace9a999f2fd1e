import { type Context, type DataKey, deriveDataKey, wipeDataKey, type Wrapped } from '@eaas/protocol';
import { toBase64 } from '@eaas/protocol/base64';
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

/** The name of a partition. */
export function nameOf({ keyId, scope, wrapContext }: Partition): string {
  if (scope === undefined && !wrapContext) return keyId;
  return JSON.stringify([keyId, scope, Object.entries(wrapContext ?? {}).sort()]);
}

/** Derives a data key, and overwrites the DEK. */
export async function bringToLife(
  engines: Engines,
  dek: Uint8Array,
  wrapped: Wrapped,
  sync: boolean,
): Promise<LiveKey> {
  try {
    const fields = await deriveDataKey(engines.fields, dek, wrapped);
    const same = engines.fields === engines.sync;
    return {
      keyId: wrapped.keyId,
      keyVersion: wrapped.keyVersion,
      wrappedText: toBase64(wrapped.wrappedKey),
      fields,
      sync: same ? (fields as DataKey<'sync'>) : sync ? deriveDataKey(engines.sync, dek, wrapped) : undefined,
      born: Date.now(),
    };
  } finally {
    dek.fill(0);
  }
}

/** Overwrites it, where its engines can. */
export function endLife({ fields, sync }: LiveKey): void {
  wipeDataKey(fields);
  if (sync) wipeDataKey(sync);
}

/** A timer that does not keep the process alive. */
export function later(milliseconds: number, work: () => void): void {
  // Longer than a timer can wait, it would run at once.
  const timer = setTimeout(work, Math.min(milliseconds, 2 ** 31 - 1)) as { unref?: () => void };
  timer.unref?.();
}
