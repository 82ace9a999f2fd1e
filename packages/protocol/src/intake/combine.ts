import { concatBytes } from '@noble/hashes/utils.js';
import { using } from '../bytes.ts';
import { toUtf8 } from '../text.ts';

const label = /* @__PURE__ */ toUtf8('\\.//^\\');

/** Combines the secrets of ML-KEM and X25519 into the shared secret of X-Wing, and overwrites both secrets. */
export function combine(
  sha3: (message: Uint8Array) => Uint8Array,
  mlKemSecret: Uint8Array,
  x25519Secret: Uint8Array,
  x25519Ciphertext: Uint8Array,
  x25519Key: Uint8Array,
): Uint8Array {
  const message = concatBytes(mlKemSecret, x25519Secret, x25519Ciphertext, x25519Key, label);
  mlKemSecret.fill(0);
  x25519Secret.fill(0);
  return using(message, sha3);
}
