import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bytes, vectors } from '../../../../test/vectors/vectors.ts';
import {
  newTenantSecret,
  openTenantSecrets,
  opensRootCheck,
  resealTenantSecret,
  rootKey,
  sealRootCheck,
  type TenantSecrets,
} from './key-hierarchy.ts';
import { sealSecret } from './sealed-secret.ts';

const T = '00000000-0000-4000-8000-000000000001';
const K = '00000000-0000-4000-8000-000000000002';
const [root, otherRoot] = [rootKey(randomBytes(32)), rootKey(randomBytes(32))];
const exported = (secrets: TenantSecrets | undefined) =>
  secrets && Object.values(secrets).map((key) => key.export().toString('hex'));

describe('the root key', () => {
  test.each(vectors('sealed-secret').root_ids)('vector: root id $root_id', ({ root_key, root_id }) => {
    expect(Buffer.from(rootKey(bytes(root_key)).rootId).toString('hex')).toBe(root_id);
  });

  test.each([0, 16, 31, 33, 64])('is not of %d bytes', (length) => {
    expect(() => rootKey(new Uint8Array(length))).toThrow(RangeError);
  });

  test('is a copy: its bytes can be wiped', () => {
    const secret = randomBytes(32);
    const root = rootKey(secret);
    const sealed = sealRootCheck(root);
    const kept = Buffer.from(secret);
    secret.fill(0);
    expect(opensRootCheck(root, sealed)).toBe(true);
    expect(root.key.export()).toEqual(kept);
  });

  test('opens the check that it sealed, and no other', () => {
    const sealed = sealRootCheck(root);
    expect(opensRootCheck(root, sealed)).toBe(true);
    expect(opensRootCheck(otherRoot, sealed)).toBe(false);
    expect(opensRootCheck(root, sealed.subarray(1))).toBe(false);
    const place = { purpose: 'root-check', tenantId: null, keyId: null, version: 0 } as const;
    expect(opensRootCheck(root, sealSecret(root.key, place, Buffer.alloc(32, 1)))).toBe(false);
  });
});

describe("a tenant's secret", () => {
  const row = { tenantId: T, ...newTenantSecret(root, T) };
  const keys = exported(openTenantSecrets([root], row));

  const named = {
    sealing: 'sealing',
    'audit-mac': 'auditMac',
    'row-mac': 'rowMac',
    checkpoint: 'checkpointSeed',
  };

  test.each(vectors('sealed-secret').tenant_keys)('vector: key $name of $tenant', (vector) => {
    const { tenant: tenantId, tenant_secret: secret, name, key } = vector;
    const place = { purpose: 'tenant-secret', tenantId, keyId: null, version: 0 } as const;
    const sealedSecret = sealSecret(root.key, place, bytes(secret));
    const secrets = openTenantSecrets([root], { tenantId, rootId: root.rootId, sealedSecret });
    const property = named[name as keyof typeof named] as keyof TenantSecrets;
    expect(secrets?.[property].export().toString('base64')).toBe(key);
  });

  test('gives four keys, the same each time, that are all different', () => {
    expect(exported(openTenantSecrets([otherRoot, root], row))).toEqual(keys);
    expect(new Set(keys).size).toBe(4);
  });

  test('is made anew for each tenant', () => {
    const another = { tenantId: T, ...newTenantSecret(root, T) };
    expect(exported(openTenantSecrets([root], another))).not.toEqual(keys);
  });

  test("opens neither under another root key, nor as another tenant's, nor altered", () => {
    expect(openTenantSecrets([], row)).toBeUndefined();
    expect(openTenantSecrets([otherRoot], row)).toBeUndefined();
    expect(openTenantSecrets([otherRoot], { ...row, rootId: otherRoot.rootId })).toBeUndefined();
    expect(openTenantSecrets([root], { ...row, tenantId: K })).toBeUndefined();
    expect(openTenantSecrets([root], { ...row, rootId: row.rootId.subarray(1) })).toBeUndefined();
    expect(openTenantSecrets([root], { ...row, sealedSecret: Buffer.alloc(78) })).toBeUndefined();
  });

  test('is the same under the next root key, which alone then opens it', () => {
    const resealed = { tenantId: T, ...resealTenantSecret([otherRoot, root], otherRoot, row) };
    expect(resealed).toMatchObject({ rootId: otherRoot.rootId });
    if (!resealed.rootId || !resealed.sealedSecret) throw new Error('not resealed');
    const { rootId, sealedSecret } = resealed;
    expect(exported(openTenantSecrets([otherRoot], { tenantId: T, rootId, sealedSecret }))).toEqual(keys);
    expect(openTenantSecrets([root], { tenantId: T, rootId, sealedSecret })).toBeUndefined();
    expect(resealTenantSecret([otherRoot], otherRoot, row)).toBeUndefined();
  });
});
