import { nodeEngine } from '@eaas/protocol/node';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import type { Engines } from './engines.ts';

/**
 * The engines on Deno. For values, node:crypto is the fastest. For streams, WebCrypto is three times as fast as node:crypto.
 */
export const platformEngines = (): Engines => ({
  values: nodeEngine,
  sync: nodeEngine,
  streams: webCryptoEngine,
});

export { hkdf } from './engines.node.ts';
