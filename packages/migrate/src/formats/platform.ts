// What formats need of AES, HMAC and scrypt outside Node. There, platform.node.ts takes its place, which is faster, and adds no code to a
// bundle.
import { cbc, ctr, gcm } from '@noble/ciphers/aes.js';
import { equalBytes } from '@noble/ciphers/utils.js';
import { hmac } from '@noble/hashes/hmac.js';
import { scrypt as derive } from '@noble/hashes/scrypt.js';
import { sha256 } from '@noble/hashes/sha2.js';

export type Mode = keyof typeof modes;
const modes = { cbc, ctr, gcm };

/** Decrypts by AES. The tag of GCM is the end of `sealed`. */
export function openAes(mode: Mode, key: Uint8Array, iv: Uint8Array, sealed: Uint8Array, tagLength = 16) {
  if (mode !== 'gcm' || tagLength === 16) return modes[mode](key, iv).decrypt(sealed);
  // noble opens no short tag, so this encrypts again: the key stream depends on key and iv alone.
  const body = sealed.subarray(0, -tagLength);
  const opened = gcm(key, iv).encrypt(body).subarray(0, body.length);
  const again = gcm(key, iv).encrypt(opened).subarray(0, sealed.length);
  return equalBytes(again, sealed) ? opened : undefined;
}

export const scrypt = (secret: Uint8Array, salt: Uint8Array, cost: Record<'N' | 'r' | 'p', number>) =>
  derive(secret, salt, { ...cost, dkLen: 32 });

export const hmacSha256 = (key: Uint8Array, message: Uint8Array) => hmac(sha256, key, message);
