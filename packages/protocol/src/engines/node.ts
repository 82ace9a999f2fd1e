// The engine for the SDK in Node, for services and for commands. It is an entry of its own, because pages cannot load it.
import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import { copyFrom } from '../bytes.ts';
import { tagLength } from '../format-sizes.ts';
import type { Engine, SyncEngine } from './engine.ts';
import { sealText } from './node-text.ts';

const pieceLength = 1_048_576;
const tag = new Uint8Array(tagLength);
// Without `authTagLength`, Node would also accept an authentication tag of 4 bytes.
const options = { authTagLength: tagLength } as const;

/**
 * The engine of node:crypto (OpenSSL). It is the fastest engine in Node for small values. On current processors its AES
 * runs in constant time.
 */
export const nodeEngine: SyncEngine = {
  name: 'node',
  importKey: (key) => createSecretKey(key),
  // Uses `allocUnsafeSlow`, which returns separate memory, and not `allocUnsafe`, whose pool other code can read.
  allocate: (length) => new Uint8Array(Buffer.allocUnsafeSlow(length).buffer),
  encrypt(key, iv, aad, plaintext, out) {
    const cipher = createCipheriv('aes-256-gcm', key, iv, options);
    if (aad.length > 0) cipher.setAAD(aad);
    // Encrypts a large plaintext in pieces, because a small piece fits into the processor's cache.
    for (let at = 0; at < plaintext.length; at += pieceLength) {
      out.set(cipher.update(plaintext.subarray(at, at + pieceLength)), at);
    }
    cipher.final();
    out.set(cipher.getAuthTag(), plaintext.length);
  },
  decrypt(key, iv, aad, body) {
    const end = body.length - tagLength;
    if (end < 0) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', key, iv, options);
    if (aad.length > 0) decipher.setAAD(aad);
    copyFrom(body, end, tag);
    decipher.setAuthTag(tag);
    const plaintext = decipher.update(body.subarray(0, end));
    try {
      decipher.final();
      return new Uint8Array(plaintext.buffer, plaintext.byteOffset, plaintext.length);
    } catch {
      plaintext.fill(0);
      return undefined;
    }
  },
  sealText,
  wipe: () => undefined, // A KeyObject cannot be overwritten. The garbage collector frees it.
} satisfies Engine<'sync', KeyObject>; // KeyObject is not in the declared type, so that users do not need Node's types.
