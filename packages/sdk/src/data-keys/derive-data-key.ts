// Apart from derive.ts, so that a page that only writes loads neither noble nor what loads it.
import type { Wrapped } from '@eaas/protocol/internal-core';
import { hkdf } from '#engines';
import type { Engines } from '../engines/engines.ts';
import { loadNoble } from '../engines/noble-engines.ts';
import { type DerivedDataKey, deriveWith } from './derive.ts';

export async function deriveDataKey(
  { values, sync }: Engines,
  dek: Uint8Array,
  wrapped: Wrapped,
  withSync: boolean,
  header?: Uint8Array,
): Promise<DerivedDataKey> {
  try {
    const ifAsked = withSync ? (sync ?? (await loadNoble()).nobleEngine) : undefined;
    return await deriveWith(hkdf, values, values === sync ? sync : ifAsked, dek, wrapped, header);
  } finally {
    dek.fill(0);
  }
}
