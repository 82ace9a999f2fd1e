import type { Context } from '@eaas/protocol';
import {
  formatPublicKey,
  intakeForm,
  nobleIntakeCrypto,
  nobleIntakeKey,
  openForIntake,
  serviceForm,
  subjectForm,
  versionIn,
} from '@eaas/protocol/internal-intake';
import { type DekPlace, openSecret, sealSecret } from '@eaas/protocol/internal-sealing';
import { fieldHash, type KeyCrypto, type Subject } from '@eaas/protocol/service';
import * as platform from '#engine';
import { peopleOf } from './subjects.ts';
import { type Key, secretOf, type Tenant } from './tenant.ts';

export function keyCrypto(tenant: Tenant, key: Key): KeyCrypto {
  const { tenant_id: tenantId } = tenant;
  const { row, versions, hashKey } = key;
  const { key_id: keyId, key_version: newest } = row;
  const placeOf = (version: number, context?: Context, subject?: Subject): DekPlace => ({
    purpose: 'dek',
    tenantId,
    keyId,
    version,
    context,
    subject: subject && secretOf(subject),
  });
  const serviceVersion = (wrapped: Uint8Array) =>
    versionIn(serviceForm, wrapped) ?? versionIn(subjectForm, wrapped);
  return {
    ...peopleOf(tenant),
    versionOf: (wrapped) => serviceVersion(wrapped) ?? versionIn(intakeForm, wrapped),
    wrap(dek, context, subject) {
      const secret = versions[newest - 1]?.secret;
      if (!secret)
        throw new Error(`version ${newest} of the active key ${keyId} must have a secret (got none)`);
      return sealSecret(platform, secret, placeOf(newest, context, subject), dek);
    },
    unwrap(wrapped, context, subject) {
      const intakeVersion = versionIn(intakeForm, wrapped);
      if (intakeVersion !== undefined) return unwrapIntake(tenantId, key, intakeVersion, wrapped, context);
      const version = serviceVersion(wrapped) ?? 0;
      const secret = versions[version - 1]?.secret;
      return secret ? openSecret(platform, secret, placeOf(version, context, subject), wrapped) : undefined;
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
