import type { Engine, SyncEngine } from '@eaas/protocol';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import { allNoble } from './noble-engines.ts';

/** The engine of each kind of call. All engines produce the same bytes. */
export interface Engines {
  /** For `encrypt` and `decrypt`. */
  readonly values: Engine;
  /** For `encryptSync` and `decryptSync`. If it is undefined, `prime` loads noble for them. */
  readonly sync: SyncEngine | undefined;
  /** For streams. */
  readonly streams: Engine;
}

const webCrypto: Engines = { values: webCryptoEngine, sync: undefined, streams: webCryptoEngine };

/** Browsers and edge workers: WebCrypto is the fastest engine there, and scripts cannot read its keys. */
export const platformEngines = (): Engines => (crypto.subtle ? webCrypto : allNoble);
