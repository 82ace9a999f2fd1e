// Makes an engine of noble's AES-GCM, which the caller passes: no library is imported here, so both entries with noble share it.
import type { gcm as Gcm } from '@noble/ciphers/aes.js';
import type { Engine } from './engine.ts';

export const nobleOf = (gcm: typeof Gcm): Engine<'sync', Uint8Array> => ({
  name: 'noble',
  // Copies the bytes with `new Uint8Array`, because `slice` of a Buffer returns a view of the same memory.
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
});
