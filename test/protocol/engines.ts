import { type Engine, nobleEngine } from '@eaas/protocol';
import { nodeEngine } from '@eaas/protocol/node';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';

/** All engines. They must behave in the same way and read each other's output. */
export const engines: readonly Engine[] = [nobleEngine, nodeEngine, webCryptoEngine];
