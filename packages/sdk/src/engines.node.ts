import { nodeEngine } from '@eaas/protocol/node';
import type { Engines } from './engines.ts';

export { createRead } from './reading.ts';

/** Node: OpenSSL without a thread to wait for is fastest, from a few bytes to many megabytes. */
export const engines: Engines = { fields: nodeEngine, sync: nodeEngine, large: nodeEngine };
