import { type Engine, nobleEngine } from '@eaas/protocol';
import { nodeEngine } from '@eaas/protocol/node';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';

/** All engines of the protocol package. For the same input, all engines must produce the same bytes. */
export const engines: readonly Engine[] = [nobleEngine, nodeEngine, webCryptoEngine];
