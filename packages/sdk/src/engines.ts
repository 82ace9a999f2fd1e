import { nobleEngine, type Engine, type SyncEngine } from '@eaas/protocol';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';

/** Which engine serves which call. All of them yield the same bytes. */
export interface Engines {
  /** `encrypt` and `decrypt`. */
  readonly fields: Engine;
  /** `encryptSync` and `decryptSync`. */
  readonly sync: SyncEngine;
  /** Streams. */
  readonly large: Engine;
}

/** Browsers, edge workers: WebCrypto is fastest there, and holds its keys where scripts cannot read them. */
export const engines: Engines = { fields: webCryptoEngine, sync: nobleEngine, large: webCryptoEngine };
