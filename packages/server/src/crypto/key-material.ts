import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { using } from '@eaas/protocol/service';
import { openSecret, type SecretPlace, sealSecret } from './sealed-secret.ts';

export function versionPlace(tenantId: string, keyId: string, version: number): SecretPlace {
  return { purpose: 'key-version', tenantId, keyId, version };
}

/** All versions of a key share one hash key, so the version of a hash key is always 0. */
export function hashKeyPlace(tenantId: string, keyId: string): SecretPlace {
  return { purpose: 'hash-key', tenantId, keyId, version: 0 };
}

export function newMaterial(sealing: KeyObject, place: SecretPlace): Uint8Array {
  return using(randomBytes(32), (secret) => sealSecret(sealing, place, secret));
}

export function openMaterial(
  sealing: KeyObject,
  place: SecretPlace,
  sealed: Uint8Array,
): KeyObject | undefined {
  const secret = openSecret(sealing, place, sealed);
  return secret && using(secret, (bytes) => createSecretKey(bytes));
}
