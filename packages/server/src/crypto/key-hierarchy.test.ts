import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import {
  idOfPerson,
  newTenantSecret,
  openMaterial,
  openTenantSecrets,
  opensRootCheck,
  resealTenantSecret,
  rootKey,
  sealRootCheck,
  subjectPlace,
  takenTenantSecret,
  type TenantSecrets,
} from './key-hierarchy.ts';
import { sealSecret } from './sealed-secret.ts';

const T = '00000000-0000-4000-8000-000000000001';
const K = '00000000-0000-4000-8000-000000000002';
const [root, otherRoot] = [rootKey(randomBytes(32)), rootKey(randomBytes(32))];
const exported = (secrets: TenantSecrets | undefined) =>
  secrets && Object.values(secrets).map((key) => key.export().toString('hex'));

describe('the root key', () => {
  test.each(vectors('sealed-secret').root_ids)(
    'the derived id of the root key matches the test vector: $root_id',
    ({ root_key, root_id }) => {
      expect(Buffer.from(rootKey(bytes(root_key)).rootId).toString('hex')).toBe(root_id);
    },
  );

  test.each([0, 16, 31, 33, 64])('a root key of %d bytes is refused', (length) => {
    expect(() => rootKey(new Uint8Array(length))).toThrow(RangeError);
  });

  test('after the caller has wiped the bytes of a root key, the root key still works', () => {
    const secret = randomBytes(32);
    const root = rootKey(secret);
    const sealed = sealRootCheck(root);
    const kept = Buffer.from(secret);
    secret.fill(0);
    expect(opensRootCheck(root, sealed)).toBe(true);
    expect(root.key.export()).toEqual(kept);
  });

  test('the check value in a database decrypts only with the root key that encrypted this value', () => {
    const sealed = sealRootCheck(root);
    expect(opensRootCheck(root, sealed)).toBe(true);
    expect(opensRootCheck(otherRoot, sealed)).toBe(false);
    expect(opensRootCheck(root, sealed.subarray(1))).toBe(false);
    const place = { purpose: 'root-check', tenantId: null, keyId: null, version: 0 } as const;
    expect(opensRootCheck(root, sealSecret(root.key, place, Buffer.alloc(32, 1)))).toBe(false);
  });
});

describe("a tenant's secret", () => {
  const row = newTenantSecret(root, T);
  const keys = exported(openTenantSecrets([root], row));

  const named = {
    sealing: 'sealing',
    'audit-mac': 'auditMac',
    'row-mac': 'rowMac',
    checkpoint: 'checkpointSeed',
  };

  test.each(vectors('sealed-secret').tenant_keys)(
    'the key $name of the tenant $tenant matches the vector',
    (vector) => {
      const { tenant: tenantId, tenant_secret: secret, name, key } = vector;
      const place = { purpose: 'tenant-secret', tenantId, keyId: null, version: 0 } as const;
      const sealed_secret = sealSecret(root.key, place, bytes(secret));
      const secrets = openTenantSecrets([root], { tenant_id: tenantId, root_id: root.rootId, sealed_secret });
      const property = named[name as keyof typeof named] as keyof TenantSecrets;
      expect(secrets?.[property].export().toString('base64')).toBe(key);
    },
  );

  test('the secret of a tenant always gives the same six keys, which all differ from each other', () => {
    expect(exported(openTenantSecrets([otherRoot, root], row))).toEqual(keys);
    expect(new Set(keys).size).toBe(6);
  });

  test('each tenant has a different secret', () => {
    const another = newTenantSecret(root, T);
    expect(exported(openTenantSecrets([root], another))).not.toEqual(keys);
  });

  test("a tenant's secret does not decrypt with another root key, for another tenant or after a change", () => {
    expect(openTenantSecrets([], row)).toBeUndefined();
    expect(openTenantSecrets([otherRoot], row)).toBeUndefined();
    expect(openTenantSecrets([otherRoot], { ...row, root_id: otherRoot.rootId })).toBeUndefined();
    expect(openTenantSecrets([root], { ...row, tenant_id: K })).toBeUndefined();
    expect(openTenantSecrets([root], { ...row, root_id: row.root_id.subarray(1) })).toBeUndefined();
    expect(openTenantSecrets([root], { ...row, sealed_secret: Buffer.alloc(78) })).toBeUndefined();
  });

  test("a tenant's secret stays the same when it is encrypted under a new root key", () => {
    const resealed = resealTenantSecret([otherRoot, root], row);
    if (!resealed) throw new Error('not resealed');
    expect(resealed).toMatchObject({ tenant_id: T, root_id: otherRoot.rootId });
    expect(exported(openTenantSecrets([otherRoot], resealed))).toEqual(keys);
    expect(openTenantSecrets([root], resealed)).toBeUndefined();
    expect(resealTenantSecret([otherRoot], row)).toBeUndefined();
  });
});

describe('people', () => {
  const { cases, sealed_refusals } = vectors('people');

  const secretsOf = ({ tenant, tenant_secret }: (typeof sealed_refusals)[number]) => {
    const secrets = openTenantSecrets([root], takenTenantSecret(root, tenant, bytes(tenant_secret)));
    if (!secrets) throw new Error("the tenant's secret must open");
    return secrets;
  };

  test.each(cases)('the ids of the vector are those of its name: $name', (vector) => {
    const { subjects, users } = secretsOf(vector);
    expect(idOfPerson(subjects, vector.subject)).toBe(vector.subject_id);
    expect(idOfPerson(users, vector.subject)).toBe(vector.user_id);
  });

  test.each(cases)('the secret of the vector is sealed for its subject, and opens: $name', (vector) => {
    const { sealing } = secretsOf(vector);
    const place = subjectPlace(vector.tenant, vector.subject_id);
    const sealed = sealSecret(sealing, place, bytes(vector.subject_secret), bytes(vector.seal_salt));
    expect(new Uint8Array(sealed)).toEqual(bytes(vector.sealed));
    expect(openMaterial(sealing, place, sealed)?.export().toString('base64')).toBe(vector.subject_secret);
  });

  test.each(sealed_refusals)('the invalid sealed secret of the vector is refused: $name', (vector) => {
    const place = subjectPlace(vector.tenant, vector.subject_id);
    expect(openMaterial(secretsOf(vector).sealing, place, bytes(vector.sealed))).toBeUndefined();
  });
});
