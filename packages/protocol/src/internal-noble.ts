// Clients load this file on demand, so no other entry point may import it. It must not import a module that pages load
// at their start. Bundlers would move such a shared module into one more file.
import { gcm } from '@noble/ciphers/aes.js';
import { expand, extract } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { nobleOf } from './engines/noble-of.ts';

/** AES-256-GCM in JavaScript, for platforms without WebCrypto and for synchronous calls. */
export const nobleEngine = /* @__PURE__ */ nobleOf(gcm);

/** HKDF-SHA-256 without salt, with an output of 64 bytes. */
export function hkdf(dek: Uint8Array, info: Uint8Array): Uint8Array {
  const prk = extract(sha256, dek);
  try {
    return expand(sha256, prk, info, 64);
  } finally {
    prk.fill(0);
  }
}

/** Returns a function that computes HMAC-SHA-256 under the key. */
export function hmacUnder(key: Uint8Array): (message: Uint8Array) => Uint8Array {
  const keyed = hmac.create(sha256, key);
  return (message) => keyed.clone().update(message).digest();
}
