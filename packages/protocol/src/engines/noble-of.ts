import type { gcm as Gcm } from '@noble/ciphers/aes.js';
import type { Engine } from './engine.ts';

/** Creates an engine from noble's function `gcm`. The caller passes `gcm`, so that a bundler can load noble on demand. */
export const nobleOf = (gcm: typeof Gcm): Engine<'sync', Uint8Array> => ({
  name: 'noble',
  // `new Uint8Array` copies the key. `slice` is not used, because Buffer's `slice` returns a view of the same memory.
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
