import { toBase64 } from '@eaas/protocol/base64';
import type { Context } from '@eaas/protocol';
import { openSecret, sealedVersion, sealSecret } from '../crypto/sealed-secret.ts';
import { Refusal } from '../refusal.ts';
import type { KeyMaterial } from '../state/tenant-state.ts';

/** Wraps a DEK under the key's newest version. */
export function wrapDek(key: KeyMaterial, dek: Uint8Array, context?: Context): Uint8Array {
  const { tenant_id: tenantId, key_id: keyId, key_version: version } = key.row;
  const ikm = key.versions.get(version);
  if (!ikm) throw new Error('an active key has its newest version');
  return sealSecret(ikm, { purpose: 'dek', tenantId, keyId, version, context }, dek);
}

/** The DEK that this key wrapped, or undefined where it did not. The version that the wrapped key names was loaded. */
export function unwrapDek(key: KeyMaterial, wrapped: Uint8Array, context?: Context): Uint8Array | undefined {
  const { tenant_id: tenantId, key_id: keyId } = key.row;
  const version = sealedVersion(wrapped) ?? 0;
  const ikm = key.versions.get(version);
  return ikm ? openSecret(ikm, { purpose: 'dek', tenantId, keyId, version, context }, wrapped) : undefined;
}

export const unauthentic = (): Refusal =>
  new Refusal(
    'wrapped_key_unauthentic',
    'The wrapped_key is not one that this key wrapped with this context: check the key_id, the context, and that it was stored whole.',
  );

/** A DEK as the wire carries it. The bytes are overwritten. */
export function dekToBase64(dek: Uint8Array): string {
  try {
    return toBase64(dek);
  } finally {
    dek.fill(0);
  }
}
