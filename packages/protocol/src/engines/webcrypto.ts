// The engine for the SDK in pages, and for its streams on Deno: asynchronous, and no script can read its keys.
import type { Engine } from './engine.ts';

/** A key of WebCrypto, as the types of the platform name it: those of Node have no global `CryptoKey`. */
export type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The engine of WebCrypto, which every browser and runtime has. Scripts cannot read the keys that it imports. */
export const webCryptoEngine: Engine<'async', CryptoKey> = {
  name: 'webcrypto',
  importKey: (key) => crypto.subtle.importKey('raw', plain(key), 'AES-GCM', false, ['encrypt', 'decrypt']),
  encrypt: (key, iv, aad, plaintext, out) =>
    crypto.subtle
      .encrypt(gcm(iv, aad), key, plain(plaintext))
      .then((sealed) => out.set(new Uint8Array(sealed))),
  async decrypt(key, iv, aad, body) {
    try {
      return new Uint8Array(await crypto.subtle.decrypt(gcm(iv, aad), key, plain(body)));
    } catch {
      return undefined;
    }
  },
  wipe: () => undefined, // A CryptoKey cannot be overwritten. The garbage collector frees it.
};

function gcm(iv: Uint8Array, aad: Uint8Array): AesGcmParams {
  return { name: 'AES-GCM', iv: plain(iv), additionalData: plain(aad), tagLength: 128 };
}

/** Copies a view of shared memory, because WebCrypto refuses such views. */
function plain(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}
