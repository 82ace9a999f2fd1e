import { createCipheriv, createDecipheriv, createHmac, type KeyObject, randomFillSync } from 'node:crypto';
import { type Context, encodeContext } from '@eaas/protocol';
import { paeView } from './pae-view.ts';

/**
 * The purpose, tenant, key and version for which a secret is encrypted. A secret can be decrypted only for the same
 * four values. Ids are lower-case UUIDs.
 */
export interface Place {
  readonly purpose: 'dek' | 'key-version' | 'hash-key' | 'tenant-secret' | 'root-check';
  readonly tenantId: string | null;
  readonly keyId: string | null;
  readonly version: number;
  readonly context?: Context | undefined;
}

const sealedLength = 78; // head, ciphertext, tag
const saltAt = 6; // after format, suite and version
const saltLength = 24;
const headLength = saltAt + saltLength;
const bodyLength = 32;
const bodyEnd = headLength + bodyLength;
const formatAndSuite = 0x0101;

// The iv is constant. This is safe, because each random salt gives another encryption key, and each encryption key
// encrypts only one secret.
const iv = Buffer.alloc(12);
// Without `authTagLength`, Node would accept an authentication tag of only 4 bytes.
const gcm = { authTagLength: 16 } as const;

/**
 * Encrypts a secret of 32 bytes for one purpose, tenant, key and version. Returns 78 bytes. The salt is random, except
 * in tests.
 */
export function sealSecret(ikm: KeyObject, place: Place, secret: Uint8Array, salt?: Uint8Array): Uint8Array {
  if (secret.length !== bodyLength)
    throw new RangeError(`a secret must have ${bodyLength} bytes (got ${secret.length})`);
  if (salt && salt.length !== saltLength)
    throw new RangeError(`a salt must have ${saltLength} bytes (got ${salt.length})`);
  const sealed = Buffer.allocUnsafeSlow(sealedLength);
  sealed.writeUInt16BE(formatAndSuite, 0);
  sealed.writeUInt32BE(place.version, 2);
  if (salt) sealed.set(salt, saltAt);
  else randomFillSync(sealed, saltAt, saltLength);
  const head = sealed.subarray(0, headLength);
  const key = sealingKey(ikm, place, head);
  try {
    const cipher = createCipheriv('aes-256-gcm', key, iv, gcm).setAAD(additionalData(head, place.context));
    sealed.set(cipher.update(secret), headLength);
    cipher.final();
    sealed.set(cipher.getAuthTag(), bodyEnd);
    return sealed;
  } finally {
    key.fill(0);
  }
}

/**
 * Decrypts a sealed secret to 32 bytes, which the caller wipes. Returns undefined if the bytes were altered, or were
 * sealed for another `place` or under another key.
 */
export function openSecret(ikm: KeyObject, place: Place, sealed: Uint8Array): Uint8Array | undefined {
  if (sealedVersion(sealed) !== place.version) return undefined;
  const head = sealed.subarray(0, headLength);
  const key = sealingKey(ikm, place, head);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, gcm);
  key.fill(0);
  decipher.setAAD(additionalData(head, place.context)).setAuthTag(sealed.subarray(bodyEnd));
  const secret = decipher.update(sealed.subarray(headLength, bodyEnd));
  try {
    decipher.final();
    return secret;
  } catch {
    secret.fill(0);
    return undefined;
  }
}

/**
 * Returns the version in the header of a sealed secret, without authenticating the version. Returns undefined if the
 * bytes are not a sealed secret.
 */
export function sealedVersion(sealed: Uint8Array): number | undefined {
  if (sealed.length !== sealedLength) return undefined;
  const view = new DataView(sealed.buffer, sealed.byteOffset, headLength);
  return view.getUint16(0) === formatAndSuite ? view.getUint32(2) : undefined;
}

function sealingKey(ikm: KeyObject, place: Place, head: Uint8Array): Buffer {
  const { tenantId, keyId, version, purpose } = place;
  const salt = head.subarray(saltAt);
  return createHmac('sha256', ikm)
    .update(paeView(['eaas wrap v1', tenantId, keyId, version, purpose, salt]))
    .digest();
}

function additionalData(head: Uint8Array, context: Context | undefined): Uint8Array {
  return paeView([head, encodeContext(context)]);
}
