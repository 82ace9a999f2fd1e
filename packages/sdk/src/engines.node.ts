import { hkdfSync } from 'node:crypto';
import { nodeEngine } from '@eaas/protocol/node';
import type { Engines } from './engines.ts';

/** The engine on Node. OpenSSL on the calling thread is the fastest for values of every size. */
export const platformEngines = (): Engines => ({ values: nodeEngine, sync: nodeEngine, streams: nodeEngine });

/**
 * Returns 64 bytes of HKDF-SHA-256 of a DEK, without a salt. Uses node:crypto, because WebCrypto takes several times
 * as long for so few bytes.
 */
export const hkdf = (dek: Uint8Array, info: Uint8Array): Uint8Array | Promise<Uint8Array> =>
  new Uint8Array(hkdfSync('sha256', dek, '', info, 64));
