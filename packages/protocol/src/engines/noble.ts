import { gcm } from '@noble/ciphers/aes.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { Engine } from './engine.ts';

/**
 * noble: runs wherever JavaScript runs, and answers at once. Its AES works with tables, so its timing is not
 * independent of the key; only its version 1.0.0 was audited from outside.
 */
export const nobleEngine: Engine<'sync', Uint8Array> = {
  name: 'noble',
  hkdf: (ikm, salt, info, length) => hkdf(sha256, ikm, salt, info, length),
  importKey: (key) => key.slice(),
  encrypt: (key, iv, aad, plaintext) => gcm(key, iv, aad).encrypt(plaintext),
  decrypt(key, iv, aad, body) {
    try {
      return gcm(key, iv, aad).decrypt(body);
    } catch {
      return undefined;
    }
  },
  wipe: (key) => void key.fill(0),
};
