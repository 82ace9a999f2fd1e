import type { gcm as Gcm } from '@noble/ciphers/aes.js';
import type { Engine } from './engine.ts';

/** Makes an engine of noble's `gcm`. The caller passes `gcm`, so that a bundler can load noble on demand. */
export const nobleOf = (gcm: typeof Gcm): Engine<'sync', Uint8Array> => ({
  name: 'noble',
  // Copied by the constructor, because Buffer's `slice` returns a view.
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
