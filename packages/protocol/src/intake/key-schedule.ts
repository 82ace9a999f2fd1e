// The arithmetic of HPKE and X-Wing that writers and services share. It computes no HMAC itself, because WebCrypto answers with
// promises and a service does not.
import { concatBytes } from '@noble/hashes/utils.js';
import { using } from '../bytes.ts';
import { toUtf8 } from '../text.ts';

/**
 * The key and the message of an HMAC-SHA-256. The caller of the generator `keySchedule` computes it, and passes the
 * result to `next`.
 */
type HmacRequest = readonly [key: Uint8Array, message: Uint8Array];

export interface MessageKey {
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
}

const version = /* @__PURE__ */ toUtf8('HPKE-v1');
// The HPKE suite: X-Wing, HKDF-SHA256, AES-256-GCM.
const suiteId = /* @__PURE__ */ concatBytes(toUtf8('HPKE'), Uint8Array.of(0x64, 0x7a, 0, 1, 0, 2));
const baseMode = /* @__PURE__ */ Uint8Array.of(0);
const empty = /* @__PURE__ */ new Uint8Array(0);
/** WebCrypto refuses an empty HMAC key. HMAC pads short keys with zeros, so 32 zeros give the same result. */
const noSalt = /* @__PURE__ */ new Uint8Array(32);

/** The key schedule of HPKE (RFC 9180, 5.1, base mode), for synchronous and asynchronous HMACs. */
export function* keySchedule(
  sharedSecret: Uint8Array,
  info: Uint8Array,
): Generator<HmacRequest, MessageKey, Uint8Array> {
  const pskIdHash = yield extract(noSalt, 'psk_id_hash', empty);
  const infoHash = yield extract(noSalt, 'info_hash', info);
  const context = concatBytes(baseMode, pskIdHash, infoHash);
  const secret = yield extract(sharedSecret, 'secret', empty);
  const key = yield expand(secret, 'key', context, 32);
  const nonce = yield expand(secret, 'base_nonce', context, 12);
  secret.fill(0);
  return { key, nonce: nonce.subarray(0, 12) };
}

const extract = (salt: Uint8Array, label: string, ikm: Uint8Array): HmacRequest => [
  salt,
  concatBytes(version, suiteId, toUtf8(label), ikm),
];

/** `LabeledExpand` (RFC 9180, 4). One HMAC is enough for outputs of at most 32 bytes. */
const expand = (secret: Uint8Array, label: string, context: Uint8Array, length: number): HmacRequest => [
  secret,
  concatBytes(Uint8Array.of(0, length), version, suiteId, toUtf8(label), context, Uint8Array.of(1)),
];

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
