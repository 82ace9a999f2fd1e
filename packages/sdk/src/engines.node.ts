import { nodeEngine } from '@eaas/protocol/node';
import type { Engines } from './engines.ts';

/** Node: OpenSSL on the calling thread is the fastest, from a few bytes to many megabytes. */
export const platformEngines = (): Engines => ({ values: nodeEngine, sync: nodeEngine, streams: nodeEngine });
