import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { openSecret, type Place, sealSecret } from './sealed-secret.ts';

export function versionPlace(tenantId: string, keyId: string, version: number): Place {
  return { purpose: 'key-version', tenantId, keyId, version };
}

/** All versions of a key share one hash key, so the version of a hash key is always 0. */
export function hashKeyPlace(tenantId: string, keyId: string): Place {
  return { purpose: 'hash-key', tenantId, keyId, version: 0 };
}

export function newMaterial(sealing: KeyObject, place: Place): Uint8Array {
  const secret = randomBytes(32);
  try {
    return sealSecret(sealing, place, secret);
  } finally {
    secret.fill(0);
  }
}

export function openMaterial(sealing: KeyObject, place: Place, sealed: Uint8Array): KeyObject | undefined {
  const secret = openSecret(sealing, place, sealed);
  if (!secret) return undefined;
  try {
    return createSecretKey(secret);
  } finally {
    secret.fill(0);
  }
}
