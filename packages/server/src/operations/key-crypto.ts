import { type KeyCrypto, keyNotFound, requireKeyId } from '@eaas/protocol/service';
import { fieldHash } from '../crypto/field-hash.ts';
import { openSecret, type Place, sealedVersion, sealSecret } from '../crypto/sealed-secret.ts';
import type { Service } from '../service.ts';
import type { Facts } from '../state/decide.ts';
import { loadKeys } from '../state/load-keys.ts';
import type { KeyMaterial } from '../state/tenant-state.ts';

/**
 * Loads a key with the material of its newest version. Also loads the material of the version `keyVersion` if given.
 * Throws 404 for an unknown key.
 */
export async function requireKey(
  { tenants }: Service,
  { state, apiKey }: Facts,
  text: string,
  keyVersion?: number,
): Promise<KeyMaterial> {
  const keyId = requireKeyId(apiKey, text);
  const key = (await loadKeys(tenants, state, [{ keyId }, { keyId, keyVersion }])).get(keyId);
  if (!key) throw keyNotFound();
  return key;
}

/**
 * Returns the functions that wrap, unwrap and hash with a key. To unwrap a data key, the version of the key that
 * wrapped it must be loaded.
 */
export function keyCrypto({ row, versions, hashKey }: KeyMaterial): KeyCrypto {
  const { tenant_id: tenantId, key_id: keyId, key_version: newest } = row;
  const place = (version: number, context: Place['context']): Place => {
    return { purpose: 'dek', tenantId, keyId, version, context };
  };
  return {
    versionOf: sealedVersion,
    wrap(dek, context) {
      const ikm = versions.get(newest);
      if (!ikm) throw new Error(`the secret of version ${newest} of the active key ${keyId} is missing`);
      return sealSecret(ikm, place(newest, context), dek);
    },
    unwrap(wrapped, context) {
      const version = sealedVersion(wrapped) ?? 0;
      const ikm = versions.get(version);
      return ikm ? openSecret(ikm, place(version, context), wrapped) : undefined;
    },
    hash(value) {
      if (!hashKey) throw new Error(`the hash key of the active key ${keyId} is missing`);
      return fieldHash(hashKey, value);
    },
  };
}
