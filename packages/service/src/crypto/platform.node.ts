// The cryptography of a service in Node: OpenSSL, through node:crypto. Imported as `#platform`; elsewhere that is platform.ts,
// which has the same exports.
import * as openssl from 'node:crypto';
import type { StoredEntry } from '@eaas/protocol/audit';
import { pkcs8Of, using } from '@eaas/protocol/internal';
import { entryParts, linkParts } from '@eaas/protocol/internal-log';
import type { IntakeCrypto } from '@eaas/protocol/internal-service';
import { nodeEngine as engine } from '@eaas/protocol/node';
import { hmac, hmacSha256, keyOf, paeView, shownHmac } from './hmac.node.ts';
import { sealingWith } from './sealing.ts';
import type { Secret } from './secret.ts';

export { randomBytes } from '@eaas/protocol/internal';
export { nodeEngine as engine } from '@eaas/protocol/node';
export { hmac, paeView } from './hmac.node.ts';

/** Bytes as a text with one character per byte, which chains are faster with, and back. */
export const toLatin1 = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1');
export const fromLatin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** Copies bytes, which stay the caller's to wipe. */
export const secretOf = (bytes: Uint8Array): Secret => openssl.createSecretKey(bytes) as Secret;

/** Returns a copy of the bytes, which the caller wipes. */
export const exportSecret = (secret: Secret): Uint8Array => keyOf(secret).export();

export const sha256 = (message: Uint8Array): Uint8Array => openssl.hash('sha256', message, 'buffer');

/** The hash of a text as hexadecimal characters. */
export const sha256Hex = (text: string): string => openssl.hash('sha256', text, 'hex');

/** Writes bytes of a text with one character per byte as hexadecimal characters. */
export const latin1ToHex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && openssl.timingSafeEqual(a, b);

/** HKDF-SHA-256 without salt, with an output of 32 bytes. */
export const hkdf = (secret: Secret | Uint8Array, info: Uint8Array): Secret =>
  using(new Uint8Array(openssl.hkdfSync('sha256', keyOf(secret), '', info, 32)), secretOf);

// Of Buffer's shared pool: memory of its own would take a tenth of the time of a wrap.
const allocate = (length: number): Uint8Array => Buffer.allocUnsafe(length);
const sealing = /* @__PURE__ */ sealingWith({
  engine,
  secretOf,
  allocate,
  paeView,
  shownHmac,
  macs: hmacSha256,
});
export const { sealer, sealerUnder, endSealer } = sealing;
export const { sealSecret, openSecret, newMaterial, openMaterial } = sealing;

const hashLength = 32;
// Byte positions in an encoded audit entry, and in what chains it. They are constant, because the labels, salts, hashes and
// tenants' ids have fixed lengths.
const saltAt = 4 + 4 + 'eaas audit entry v1'.length + 4;
const idAt = saltAt + 16 + 4 + 36 + 4;
const previousAt = 4 + 4 + 'eaas audit link v1'.length + 4;
const digestAt = previousAt + hashLength + 4;

/**
 * `first` hashes an entry. `next` hashes the same entry with another id, another salt and another previous hash. Hashes and salts
 * are strings with one character per byte.
 */
export function entryHashes() {
  const link = Buffer.from(paeView(linkParts(new Uint8Array(hashLength), new Uint8Array(hashLength))));
  let preimage = Buffer.alloc(0);
  let entry: StoredEntry;
  let idLength = 0;
  const hashAfter = (previous: string): string => {
    if (previous.length !== hashLength) throw new RangeError('the hash before an entry must have 32 bytes');
    link.write(previous, previousAt, 'latin1');
    link.write(openssl.hash('sha256', preimage, 'binary'), digestAt, 'latin1');
    return openssl.hash('sha256', link, 'binary');
  };
  const first = (previous: string, firstEntry: StoredEntry): string => {
    entry = firstEntry;
    idLength = String(entry.id).length;
    preimage = Buffer.from(paeView(entryParts(entry)));
    return hashAfter(previous);
  };
  const next = (previous: string, id: number, salt: string): string => {
    const text = String(id);
    if (text.length !== idLength) return first(previous, { ...entry, id, salt: fromLatin1(salt) });
    preimage.write(salt, saltAt, 'latin1');
    preimage.write(text, idAt, 'latin1');
    return hashAfter(previous);
  };
  return { first, next };
}

/** The MACs of entries, by their hashes, with one character per byte. */
export function entryMacs(auditMac: Secret, hashes: readonly string[]): string[] {
  const macs = hmacSha256(auditMac, hashLength);
  try {
    return hashes.map((hash) => {
      macs.message.write(hash, 'latin1');
      return macs.digestText();
    });
  } finally {
    macs.wipe();
  }
}

// Node takes keys of 32 bytes only in their DER forms (RFC 8410).
type Curve = Parameters<typeof pkcs8Of>[0];

const privateKeyOf = (curve: Curve, bytes: Uint8Array): openssl.KeyObject =>
  using(pkcs8Of(curve, bytes), ({ buffer }) =>
    openssl.createPrivateKey({ key: Buffer.from(buffer), format: 'der', type: 'pkcs8' }),
  );

function publicKeyOf(curve: Curve, bytes: Uint8Array): openssl.KeyObject {
  const start = Buffer.from(`302a300506032b65${curve === 'x25519' ? '6e' : '70'}032100`, 'hex');
  return openssl.createPublicKey({ key: Buffer.concat([start, bytes]), format: 'der', type: 'spki' });
}

const publicBytes = (privateKey: openssl.KeyObject): Uint8Array =>
  openssl.createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32);

/** Signs with the key of a seed of 32 bytes. */
export async function signEd25519(seed: Secret, message: Uint8Array) {
  const privateKey = using(exportSecret(seed), (bytes) => privateKeyOf('ed25519', bytes));
  const signature: Uint8Array = openssl.sign(null, message, privateKey);
  return { publicKey: publicBytes(privateKey), signature };
}

/** Whether the signature of the message holds under a public key of 32 bytes. */
export async function verifyEd25519(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array) {
  return openssl.verify(null, message, publicKeyOf('ed25519', publicKey), signature);
}

/** X25519 is OpenSSL's, whose multiplication is constant-time. ML-KEM is that of `@noble/post-quantum`. */
export const intakeCrypto: IntakeCrypto = {
  engine,
  shake256: (message, outputLength) =>
    openssl.createHash('shake256', { outputLength }).update(message).digest(),
  sha3: (message) => openssl.hash('sha3-256', message, 'buffer'),
  hmac,
  x25519(scalar, point) {
    const privateKey = privateKeyOf('x25519', scalar);
    if (!point) return publicBytes(privateKey);
    return openssl.diffieHellman({ privateKey, publicKey: publicKeyOf('x25519', point) });
  },
};
