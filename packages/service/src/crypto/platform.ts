// The cryptography of a service in every JavaScript runtime: noble, and WebCrypto for signatures. Imported as `#platform`; in
// Node that is platform.node.ts, which has the same exports.
import { hkdf as nobleHkdf } from '@noble/hashes/hkdf.js';
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { nobleEngine as engine, pae, type PaePart, toUtf8 } from '@eaas/protocol';
import { chainHash, type StoredEntry } from '@eaas/protocol/audit';
import { pkcs8Of, readBase64Url, toHex, using } from '@eaas/protocol/internal';
import { entryParts } from '@eaas/protocol/internal-log';
import { nobleIntakeCrypto } from '@eaas/protocol/internal-service';
import { sealingWith } from './sealing.ts';
import type { Secret } from './secret.ts';

export { nobleEngine as engine } from '@eaas/protocol';
export { randomBytes, equalBytes as sameBytes } from '@eaas/protocol/internal';
export { nobleIntakeCrypto as intakeCrypto } from '@eaas/protocol/internal-service';

const bytesOf = (secret: Secret | Uint8Array): Uint8Array => secret as Uint8Array;

/** Copies bytes, which stay the caller's to wipe. */
export const secretOf = (bytes: Uint8Array): Secret => new Uint8Array(bytes) as Secret;

/** Returns a copy of the bytes, which the caller wipes. */
export const exportSecret = (secret: Secret): Uint8Array => new Uint8Array(bytesOf(secret));

export const sha256 = (message: Uint8Array): Uint8Array => nobleSha256(message);

/** The hash of a text as hexadecimal characters. */
export const sha256Hex = (text: string): string => toHex(nobleSha256(toUtf8(text)));

/** Writes bytes of a text with one character per byte as hexadecimal characters. */
export const latin1ToHex = (text: string): string => toHex(fromLatin1(text));

export const hmac = (key: Secret | Uint8Array, message: Uint8Array): Uint8Array =>
  nobleIntakeCrypto.hmac(bytesOf(key), message);

/** Only in Node does the next call overwrite the returned bytes. */
export const paeView = (parts: readonly PaePart[]): Uint8Array => pae(...parts);

/** HKDF-SHA-256 without salt, with an output of 32 bytes. */
export const hkdf = (secret: Secret | Uint8Array, info: Uint8Array): Secret =>
  using(nobleHkdf(nobleSha256, bytesOf(secret), undefined, info, 32), secretOf);

function macs(first: Secret, messageLength: number) {
  const message = new Uint8Array(messageLength);
  let key = first;
  const rekey = (other: Secret) => {
    key = other;
  };
  return { message, digest: () => hmac(key, message), rekey, wipe: () => void message.fill(0) };
}

const allocate = (length: number): Uint8Array => new Uint8Array(length);
const sealing = /* @__PURE__ */ sealingWith({ engine, secretOf, allocate, paeView, shownHmac: hmac, macs });
export const { sealer, sealerUnder, endSealer } = sealing;
export const { sealSecret, openSecret, newMaterial, openMaterial } = sealing;

/** Bytes as a text with one character per byte, which chains are faster with, and back. */
export const toLatin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
export const fromLatin1 = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));

/**
 * `first` hashes an entry. `next` hashes the same entry with another id, another salt and another previous hash. Hashes and salts
 * are strings with one character per byte.
 */
export function entryHashes() {
  let entry: StoredEntry;
  const first = (previous: string, firstEntry: StoredEntry): string => {
    entry = firstEntry;
    return toLatin1(chainHash(fromLatin1(previous), nobleSha256(pae(...entryParts(entry)))));
  };
  const next = (previous: string, id: number, salt: string): string =>
    first(previous, { ...entry, id, salt: fromLatin1(salt) });
  return { first, next };
}

/** The MACs of entries, by their hashes, with one character per byte. */
export const entryMacs = (auditMac: Secret, hashes: readonly string[]): string[] =>
  hashes.map((hash) => toLatin1(hmac(auditMac, fromLatin1(hash))));

/** Signs with the key of a seed of 32 bytes. */
export async function signEd25519(seed: Secret, message: Uint8Array) {
  const { subtle } = crypto;
  const pkcs8 = pkcs8Of('ed25519', bytesOf(seed));
  const importing = subtle.importKey('pkcs8', pkcs8, 'Ed25519', true, ['sign']);
  const key = await importing.finally(() => pkcs8.fill(0));
  const signature = new Uint8Array(await subtle.sign('Ed25519', key, new Uint8Array(message)));
  const { x = '' } = await subtle.exportKey('jwk', key);
  const publicKey = readBase64Url(x) as Uint8Array;
  return { publicKey, signature };
}

/** Whether the signature of the message holds under a public key of 32 bytes. */
export async function verifyEd25519(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array) {
  const { subtle } = crypto;
  const key = await subtle.importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify']);
  return subtle.verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(message));
}
