import { type Engine, nobleEngine } from '@eaas/protocol';
import { nodeEngine } from '@eaas/protocol/node';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';

/** All engines: whatever holds for one must hold for each, and between them. */
export const engines: readonly Engine[] = [nobleEngine, nodeEngine, webCryptoEngine];
