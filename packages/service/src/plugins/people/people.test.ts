import { subjectForm, subjectPlace } from '@eaas/protocol/internal';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { describe, expect, test } from 'vitest';
import { openMaterial, sealer, secretOf } from '#platform';
import { openTenantSecrets, rootKey, sealTenantSecret } from '../../crypto/tenant-secrets.ts';
import { type View } from '../../ledger/decision.ts';
import type { KeyRow } from '../../ledger/tables.ts';
import type { KeyVerb } from '../../plugin.ts';
import { personId } from '../../rules/authorize.ts';
import { keyCrypto } from '../../rules/key-crypto.ts';
import { keyingOf } from './keying.ts';
import { subjects } from './subjects.ts';

const { cases, refusals, sealed_refusals } = vectors('people');
const root = rootKey(new Uint8Array(32));
const secretsOf = (tenant: string, secret: string) =>
  openTenantSecrets([root], sealTenantSecret(root, tenant, bytes(secret)));

type Wrapping = Pick<
  (typeof refusals)[number],
  'tenant' | 'key' | 'version' | 'version_secret' | 'subject_secret'
>;

/** What a plugin and the cryptography of a key see of a tenant with one subject, which has the secret of the vector. */
function seenIn({ tenant, key, version, version_secret, subject_secret }: Wrapping, isKnown = true) {
  const sealed = new Uint8Array(1);
  const view = {
    tenant: { tenant_id: tenant },
    secrets: secretsOf(tenant, version_secret),
    find: (table: { name: string }) =>
      table.name === subjects.name && !isKnown ? null : { tenant_id: tenant, sealed },
    open: ({ purpose }: { purpose: string }) =>
      secretOf(bytes(purpose === 'subject' ? (subject_secret ?? '') : version_secret)),
  } as unknown as View;
  const row = { tenant_id: tenant, key_id: key, key_version: version } as KeyRow;
  const call = { key_id: key, ...(subject_secret !== null && { subject: 'u-42' }) };
  const act = { holder: null, key: row, named: row };
  const partIn = async (verb: KeyVerb) => {
    const keying = keyingOf([call], { fair: { isOver: () => false, pause: async () => {} } }, verb);
    await keying.prepare?.(view, null);
    return keying.find?.(view, { ...act, verb, call }) ?? {};
  };
  return { partIn, crypto: keyCrypto(view, row, [{ form: subjectForm }]), view, act };
}

describe.each(cases)('the subject of the vector: $name', (vector) => {
  test('has the ids of its name, and its secret', () => {
    const secrets = secretsOf(vector.tenant, vector.tenant_secret);
    expect(personId({ secrets }, 'subjects', vector.subject)).toBe(vector.subject_id);
    expect(personId({ secrets }, 'users', vector.subject)).toBe(vector.user_id);
    const place = subjectPlace(vector.tenant, vector.subject_id);
    const sealed = sealer(secrets.sealing, place).seal(
      bytes(vector.subject_secret),
      place.context,
      bytes(vector.seal_salt),
    );
    expect(new Uint8Array(sealed)).toEqual(bytes(vector.sealed));
  });

  test('opens its data keys, and no other subject does', async () => {
    const { partIn, crypto } = seenIn(vector);
    const [wrapped, context] = [bytes(vector.wrapped), vector.context ?? undefined];
    const dek = bytes(vector.dek);
    expect(crypto.unwrap(wrapped, context, await partIn('unwrap'))).toEqual(dek);
    const again = crypto.wrap(dek, context, (await partIn('wrap')).seals);
    expect(crypto.unwrap(again, context, await partIn('decrypt'))).toEqual(dek);
    const unknown = seenIn(vector, false);
    for (const verb of ['unwrap', 'rewrap'] as const) {
      expect(unknown.crypto.unwrap(wrapped, context, await unknown.partIn(verb))).toBeUndefined();
    }
  });
});

test.each(refusals)('the invalid data key of the vector is refused: $name', async (vector) => {
  const { partIn, crypto } = seenIn(vector);
  const [wrapped, context] = [bytes(vector.wrapped), vector.context ?? undefined];
  const isAsked = crypto.headOf(wrapped)?.version === vector.version;
  expect(isAsked ? crypto.unwrap(wrapped, context, await partIn('unwrap')) : undefined).toBeUndefined();
});

test.each(sealed_refusals)('the invalid sealed secret of the vector is refused: $name', (vector) => {
  const { sealing } = secretsOf(vector.tenant, vector.tenant_secret);
  const place = subjectPlace(vector.tenant, vector.subject_id);
  expect(openMaterial(sealing, place, bytes(vector.sealed))).toBeUndefined();
});
