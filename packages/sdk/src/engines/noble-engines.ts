// Noble for pages without WebCrypto and for synchronous calls, loaded by the first one that needs it.
import type { Engine } from '@eaas/protocol';
import type * as Noble from '@eaas/protocol/internal-noble';
import { load } from '../errors.ts';
import type { Engines } from './engines.ts';

export const loadNoble = (): Promise<typeof Noble> =>
  load('the noble engine', import('@eaas/protocol/internal-noble'));

const onDemand: Engine<'async', Pick<typeof Noble, 'nobleEngine'> & { readonly bytes: Uint8Array }> = {
  name: 'noble',
  async importKey(key) {
    // Copies the key, because the caller can overwrite it before the library noble is loaded.
    const bytes = new Uint8Array(key);
    return { bytes, nobleEngine: (await loadNoble()).nobleEngine };
  },
  encrypt: async ({ nobleEngine, bytes }, ...rest) => nobleEngine.encrypt(bytes, ...rest),
  decrypt: async ({ nobleEngine, bytes }, ...rest) => nobleEngine.decrypt(bytes, ...rest),
  wipe: ({ bytes }) => void bytes.fill(0),
};

export const allNoble: Engines = { values: onDemand, sync: undefined, streams: onDemand };
