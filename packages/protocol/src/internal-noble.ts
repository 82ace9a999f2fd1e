// No other entry point must import this file, because clients load noble on demand.
import { gcm } from '@noble/ciphers/aes.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { using } from './bytes.ts';
import { nobleOf } from './engines/noble-of.ts';

export const nobleEngine = /* @__PURE__ */ nobleOf(gcm);

export const hkdf = (dek: Uint8Array, info: Uint8Array): Uint8Array =>
  using(extract(sha256, dek), (prk) => expand(sha256, prk, info, 64));

export function hmacUnder(key: Uint8Array): (message: Uint8Array) => Uint8Array {
  const keyed = hmac.create(sha256, key);
  return (message) => keyed.clone().update(message).digest();
}
