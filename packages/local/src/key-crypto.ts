import { type Context, encodeContext, nobleEngine, pae } from '@eaas/protocol';
import { randomBytes } from '@eaas/protocol/internal';
import {
  formatPublicKey,
  intakeForm,
  nobleIntakeCrypto,
  nobleIntakeKey,
  openForIntake,
  saltEnd,
  serviceForm,
  versionEnd,
  versionIn,
  type WrappedForm,
} from '@eaas/protocol/internal-intake';
import { fieldHash, type KeyCrypto } from '@eaas/protocol/service';
import type { Key, Tenant } from './tenant.ts';

// The header of a wrapped key contains the number of its algorithms (suite). The real service does not support the
// suite 0x7f, so it refuses wrapped keys of the test service.
const form: WrappedForm = { formatAndSuite: 0x017f, length: serviceForm.length };
const ivLength = 12;

export function keyCrypto({ tenant_id }: Tenant, key: Key): KeyCrypto {
  const { row, versions, hashKey } = key;
  const partsOf = (wrapped: Uint8Array, context: Context | undefined) => {
    const head = wrapped.subarray(0, saltEnd);
    const aad = pae('eaas test wrap v1', tenant_id, row.key_id, head, encodeContext(context));
    return {
      iv: head.subarray(versionEnd, versionEnd + ivLength),
      aad,
      body: wrapped.subarray(saltEnd),
    };
  };
  return {
    versionOf: (wrapped) => versionIn(form, wrapped) ?? versionIn(intakeForm, wrapped),
    wrap(dek, context) {
      const wrapped = new Uint8Array(form.length);
      const view = new DataView(wrapped.buffer);
      view.setUint16(0, form.formatAndSuite);
      view.setUint32(2, row.key_version);
      wrapped.set(randomBytes(saltEnd - versionEnd), versionEnd);
      const secret = versions[row.key_version - 1]?.secret;
      if (!secret)
        throw new Error(
          `the active key ${row.key_id} has no secret for its newest version: create a new test service`,
        );
      const { iv, aad, body } = partsOf(wrapped, context);
      nobleEngine.encrypt(secret, iv, aad, dek, body);
      return wrapped;
    },
    unwrap(wrapped, context) {
      const keyVersion = versionIn(intakeForm, wrapped);
      if (keyVersion !== undefined) return unwrapIntake(tenant_id, key, keyVersion, wrapped, context);
      const secret = versions[(versionIn(form, wrapped) ?? 0) - 1]?.secret;
      const { iv, aad, body } = partsOf(wrapped, context);
      return secret ? nobleEngine.decrypt(secret, iv, aad, body) : undefined;
    },
    hash(value) {
      if (!hashKey)
        throw new Error(`the active key ${row.key_id} has no secret for hashes: create a new test service`);
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
