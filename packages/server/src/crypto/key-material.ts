import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { openSecret, type Place, sealSecret } from './sealed-secret.ts';

export function versionPlace(tenantId: string, keyId: string, version: number): Place {
  return { purpose: 'key-version', tenantId, keyId, version };
}

/**
 * Returns the purpose and ids for which a hash key is encrypted. All versions of a key share one hash key, so the
 * version is 0.
 */
export function hashKeyPlace(tenantId: string, keyId: string): Place {
  return { purpose: 'hash-key', tenantId, keyId, version: 0 };
}

/**
 * Generates 32 random bytes, and encrypts them under the tenant's sealing key for one purpose, key and version
 * (`place`).
 */
export function newMaterial(sealing: KeyObject, place: Place): Uint8Array {
  const secret = randomBytes(32);
  try {
    return sealSecret(sealing, place, secret);
  } finally {
    secret.fill(0);
  }
}

/** Decrypts key material. Returns undefined if the key material was not encrypted for the given `place`. */
export function openMaterial(sealing: KeyObject, place: Place, sealed: Uint8Array): KeyObject | undefined {
  const secret = openSecret(sealing, place, sealed);
  if (!secret) return undefined;
  try {
    return createSecretKey(secret);
  } finally {
    secret.fill(0);
  }
}
