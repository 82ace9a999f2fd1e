import { type Engine, nobleEngine } from '@eaas/protocol';
import { nodeEngine } from '@eaas/protocol/node';
import { webCryptoEngine } from '@eaas/protocol/webcrypto';

export const engines: readonly Engine[] = [nobleEngine, nodeEngine, webCryptoEngine];
