import type { Context } from '@eaas/protocol';
import {
  formatPublicKey,
  intakeForm,
  nobleIntakeCrypto,
  nobleIntakeKey,
  openForIntake,
  serviceForm,
  versionIn,
} from '@eaas/protocol/internal-intake';
import { fieldHash, type KeyCrypto } from '@eaas/protocol/service';
import { openSecret, type SecretPlace, sealSecret } from './sealed-secret.ts';
import type { Key, Tenant } from './tenant.ts';

export function keyCrypto({ tenant_id: tenantId }: Tenant, key: Key): KeyCrypto {
  const { row, versions, hashKey } = key;
  const { key_id: keyId, key_version: newest } = row;
  const placeOf = (version: number, context: Context | undefined): SecretPlace => ({
    purpose: 'dek',
    tenantId,
    keyId,
    version,
    context,
  });
  return {
    versionOf: (wrapped) => versionIn(serviceForm, wrapped) ?? versionIn(intakeForm, wrapped),
    wrap(dek, context) {
      const secret = versions[newest - 1]?.secret;
      if (!secret)
        throw new Error(`version ${newest} of the active key ${keyId} must have a secret (got none)`);
      return sealSecret(secret, placeOf(newest, context), dek);
    },
    unwrap(wrapped, context) {
      const intakeVersion = versionIn(intakeForm, wrapped);
      if (intakeVersion !== undefined) return unwrapIntake(tenantId, key, intakeVersion, wrapped, context);
      const version = versionIn(serviceForm, wrapped) ?? 0;
      const secret = versions[version - 1]?.secret;
      return secret ? openSecret(secret, placeOf(version, context), wrapped) : undefined;
    },
    hash(value) {
      if (!hashKey) throw new Error(`the active key ${keyId} must have a secret for hashes (got none)`);
      return fieldHash(hashKey, value);
    },
  };
}

function unwrapIntake(
  tenantId: string,
  key: Key,
  keyVersion: number,
  wrapped: Uint8Array,
  context: Context | undefined,
): Uint8Array | undefined {
  const opener = intakeKey(tenantId, key, keyVersion);
  const sharedSecret = opener?.decapsulate(wrapped);
  opener?.wipe();
  const place = { keyId: key.row.key_id, keyVersion };
  return sharedSecret && openForIntake(nobleIntakeCrypto, place, wrapped, sharedSecret, context);
}

function intakeKey(tenantId: string, { row, versions }: Key, keyVersion: number) {
  const secret = versions[keyVersion - 1]?.secret;
  return secret ? nobleIntakeKey(secret, tenantId, { keyId: row.key_id, keyVersion }) : undefined;
}

export function intakePublicKeyOf({ tenant_id }: Tenant, key: Key): string | null {
  const { key_id: keyId, key_version: keyVersion, intake } = key.row;
  const opener = intake ? intakeKey(tenant_id, key, keyVersion) : undefined;
  opener?.wipe();
  return opener ? formatPublicKey({ keyId, keyVersion, bytes: opener.publicKey }) : null;
}
