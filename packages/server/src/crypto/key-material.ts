import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { openSecret, type Place, sealSecret } from './sealed-secret.ts';

/** Makes the bytes of a key's version, sealed under the tenant's sealing key. */
export function newKeyVersion(
  sealing: KeyObject,
  tenantId: string,
  keyId: string,
  version: number,
): Uint8Array {
  return sealNew(sealing, { purpose: 'key-version', tenantId, keyId, version });
}

/** A key's version, which wraps and unwraps, or undefined unless exactly this one was sealed. */
export function openKeyVersion(
  sealing: KeyObject,
  tenantId: string,
  keyId: string,
  version: number,
  sealed: Uint8Array,
): KeyObject | undefined {
  return openKey(sealing, { purpose: 'key-version', tenantId, keyId, version }, sealed);
}

/** Makes a key's hash key, which is independent of its versions, sealed under the tenant's sealing key. */
export function newHashKey(sealing: KeyObject, tenantId: string, keyId: string): Uint8Array {
  return sealNew(sealing, { purpose: 'hash-key', tenantId, keyId, version: 0 });
}

/** A key's hash key, or undefined unless exactly this one was sealed. */
export function openHashKey(
  sealing: KeyObject,
  tenantId: string,
  keyId: string,
  sealed: Uint8Array,
): KeyObject | undefined {
  return openKey(sealing, { purpose: 'hash-key', tenantId, keyId, version: 0 }, sealed);
}

function sealNew(sealing: KeyObject, place: Place): Uint8Array {
  const secret = randomBytes(32);
  try {
    return sealSecret(sealing, place, secret);
  } finally {
    secret.fill(0);
  }
}

function openKey(sealing: KeyObject, place: Place, sealed: Uint8Array): KeyObject | undefined {
  const secret = openSecret(sealing, place, sealed);
  if (!secret) return undefined;
  try {
    return createSecretKey(secret);
  } finally {
    secret.fill(0);
  }
}
