// What a client in Node encrypts with: node:crypto for all, also where a page would load noble.
import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';
import { nodeEngine } from '@eaas/protocol/node';
import type { Engines } from './engines.ts';
import type { Mac } from './mac.ts';

export type { Mac } from './mac.ts';

export const platformEngines = (): Engines => ({ values: nodeEngine, sync: nodeEngine, streams: nodeEngine });

// node:crypto also stands for noble: it makes the same bytes, its AES runs in constant time, and it is in no bundle.
export const allNoble = /* @__PURE__ */ platformEngines();
export const loadNoble = () => Promise.resolve({ nobleEngine: nodeEngine });

/** `hkdfSync` is several times as fast as HKDF of WebCrypto. */
export const hkdf = (dek: Uint8Array, info: Uint8Array): Uint8Array | Promise<Uint8Array> =>
  new Uint8Array(hkdfSync('sha256', dek, '', info, 64));

/** `createHmac` is several times as fast as HMAC of WebCrypto, which hands each message to another thread. */
export async function macUnder(key: Uint8Array): Promise<Mac> {
  const secret = createSecretKey(key);
  return (message) => new Uint8Array(createHmac('sha256', secret).update(message).digest());
}
