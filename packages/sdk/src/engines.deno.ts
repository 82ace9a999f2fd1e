import { nodeEngine } from '@eaas/protocol/node';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import type { Engines } from './engines.ts';

export { createRead } from './reading.ts';

/** Deno: its node:crypto is fastest for fields, and a third as fast as its WebCrypto for what is large. */
export const engines: Engines = { fields: nodeEngine, sync: nodeEngine, large: webCryptoEngine };
