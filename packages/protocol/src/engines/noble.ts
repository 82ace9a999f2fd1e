import { gcm } from '@noble/ciphers/aes.js';
import type { Engine } from './engine.ts';

/**
 * noble: runs wherever JavaScript runs, and answers at once. Its AES works with tables, so its timing is not
 * independent of the key; only its version 1.0.0 was audited from outside.
 */
export const nobleEngine: Engine<'sync', Uint8Array> = {
  name: 'noble',
  // Not slice: that of a Buffer is a view.
  importKey: (key) => new Uint8Array(key),
  encrypt: (key, iv, aad, plaintext, out) => out.set(gcm(key, iv, aad).encrypt(plaintext)),
  decrypt(key, iv, aad, body) {
    try {
      return gcm(key, iv, aad).decrypt(body);
    } catch {
      return undefined;
    }
  },
  wipe: (key) => void key.fill(0),
};
