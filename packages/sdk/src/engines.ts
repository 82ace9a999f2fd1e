import { type Engine, nobleEngine, parseEnvelope, type SyncEngine } from '@eaas/protocol';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import type { Read } from './reading.ts';

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

/** What reading.ts does where a little more code is worth the speed. */
export const createRead = (): Read => parseEnvelope;
