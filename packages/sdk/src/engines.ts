import { type Engine, parseEnvelope, type SyncEngine } from '@eaas/protocol';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import type { Read } from './reading.ts';

/** Which engine serves which call. All of them yield the same bytes. */
export interface Engines {
  /** `encrypt` and `decrypt`. */
  readonly fields: Engine;
  /** `encryptSync` and `decryptSync`; undefined where nothing of the platform answers at once. */
  readonly sync: SyncEngine | undefined;
  /** Streams. */
  readonly large: Engine;
}

/**
 * Browsers, edge workers: WebCrypto is fastest there, and holds its keys where scripts cannot read them. An app that needs
 * synchronous calls brings noble along; a fourth of the download is not for everybody.
 */
export const engines: Engines = { fields: webCryptoEngine, sync: undefined, large: webCryptoEngine };

/** What reading.ts does where a little more code is worth the speed. */
export const createRead = (): Read => parseEnvelope;
