import { nodeEngine } from '@eaas/protocol/node';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import type { Engines } from './engines.ts';

/** Deno: node:crypto is the fastest for values. For large data, WebCrypto is three times as fast as node:crypto. */
export const platformEngines = (): Engines => ({
  values: nodeEngine,
  sync: nodeEngine,
  streams: webCryptoEngine,
});

export { hkdf } from './engines.node.ts';
