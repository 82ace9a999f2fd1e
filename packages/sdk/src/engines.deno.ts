import { nodeEngine } from '@eaas/protocol/node';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import type { Engines } from './engines.ts';

/** Streams use WebCrypto, which encrypts them three times as fast as node:crypto on Deno. */
export const platformEngines = (): Engines => ({
  values: nodeEngine,
  sync: nodeEngine,
  streams: webCryptoEngine,
});

export { hkdf } from './engines.node.ts';
