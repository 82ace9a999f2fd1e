import { intakeVersion } from '@eaas/protocol/internal-intake';
import { type KeyCrypto, keyNotFound, requireKeyId } from '@eaas/protocol/service';
import { fieldHash } from '../crypto/hmac.ts';
import { sealedVersion, sealer } from '../crypto/sealed-secret.ts';
import type { Service } from '../app/service.ts';
import type { Facts } from '../state/decide.ts';
import { loadKeys } from '../state/load-keys.ts';
import type { KeyMaterial } from '../state/tenant-view.ts';
import type { IntakeOpenings } from './intake.ts';

export async function requireKey(
  { tenants }: Service,
  { state, apiKey }: Facts,
  text: string,
  keyVersion?: number,
): Promise<KeyMaterial> {
  const keyId = requireKeyId(apiKey, text);
  const loading = loadKeys(tenants, state, [{ keyId }, { keyId, keyVersion }]);
  const key = (loading instanceof Promise ? await loading : loading).get(keyId);
  if (!key) throw keyNotFound();
  return key;
}

export function withKey<T>(
  key: KeyMaterial,
  openings: IntakeOpenings | undefined,
  work: (crypto: KeyCrypto) => T,
): T {
  const crypto = keyCrypto(key, openings);
  try {
    return work(crypto);
  } finally {
    crypto.wipe();
  }
}

/** The caller must call `wipe` after the last use. */
export function keyCrypto(
  key: KeyMaterial,
  openings: IntakeOpenings | undefined,
): KeyCrypto & { wipe(): void } {
  const { row, versions, hashKey } = key;
  const { tenant_id: tenantId, key_id: keyId, key_version: newest } = row;
  const sealers = new Map<number, ReturnType<typeof sealer>>();
  const sealerOf = (version: number) => {
    const known = sealers.get(version);
    const ikm = known ? undefined : versions.get(version);
    if (!ikm) return known;
    const prepared = sealer(ikm, { purpose: 'dek', tenantId, keyId, version });
    sealers.set(version, prepared);
    return prepared;
  };
  return {
    versionOf: (wrapped) => sealedVersion(wrapped) ?? intakeVersion(wrapped),
    wrap(dek, context) {
      const newestSealer = sealerOf(newest);
      if (!newestSealer)
        throw new Error(`version ${newest} of the active key ${keyId} must have a secret (got none)`);
      return newestSealer.seal(dek, context);
    },
    unwrap(wrapped, context) {
      if (intakeVersion(wrapped) !== undefined) return openings?.unwrap(key, wrapped, context);
      return sealerOf(sealedVersion(wrapped) ?? 0)?.open(wrapped, context);
    },
    hash(value) {
      if (!hashKey) throw new Error(`the active key ${keyId} must have a secret for hashes (got none)`);
      return fieldHash(hashKey, value);
    },
    wipe() {
      for (const prepared of sealers.values()) prepared.wipe();
    },
  };
}
