import { nodeEngine } from '@eaas/protocol/node';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import type { Engines } from './engines.ts';

/** On Deno, streams use WebCrypto, because it encrypts them three times as fast as `node:crypto`. */
export const platformEngines = (): Engines => ({
  values: nodeEngine,
  sync: nodeEngine,
  streams: webCryptoEngine,
});

export { hkdf, type Mac, macUnder } from './engines.node.ts';
