import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { openWrappedKey } from '@eaas/test-kit/decoder';
import { expectNothingRecorded, newDek, newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';
import { jwkOfBits, openOaep, privateJwk, publicJwk, thumbprint } from '@eaas/test-kit/rsa';
import { aBase64 } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');

const exported = (keyId: string, public_key: unknown, fields: object = {}) =>
  tenant.api.post(`/v1/keys/${keyId}/export`, { public_key, ...fields });

test('export returns every version and the hash key, encrypted to the RSA key', async () => {
  const { key_id } = await tenant.newKey({ exportable: true });
  const [dek, context] = [newDek(), { table: 'patients', a: '' }];
  const one = ok(await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek })).wrapped_key;
  ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  const two = ok(await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek, context })).wrapped_key;
  const { hash } = ok(await tenant.api.post('/v1/hash', { key_id, value: 'Grüße' }));

  const answer = await exported(key_id, publicJwk());
  expect(answer).toHaveStatus(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(Object.keys(answer.body).toSorted()).toStrictEqual([
    'hash_key',
    'key_id',
    'next_version',
    'tenant_id',
    'versions',
  ]);
  // With the id of the tenant, an export is enough to decrypt offline, in every page and for every API key.
  expect(answer.body.tenant_id).toBe(tenant.tenant_id);
  expect(answer.body.next_version).toBeNull();
  const { versions } = answer.body;
  expect(versions).toStrictEqual([
    { key_version: 1, encrypted: aBase64 },
    { key_version: 2, encrypted: aBase64 },
  ]);
  const [first, second] = versions.map(({ encrypted }) => openOaep(encrypted));
  const place = { tenant: tenant.tenant_id, key: key_id };
  expect(first).toHaveLength(32);
  expect(openWrappedKey(one, first ?? Buffer.of(), place)).toBe(dek);
  expect(openWrappedKey(two, second ?? Buffer.of(), { ...place, context })).toBe(dek);
  const hashKey = openOaep(answer.body.hash_key);
  expect(createHmac('sha256', hashKey).update('Grüße').digest('hex')).toBe(hash);
});

test('the audit entry of an export has the thumbprint of the RSA key', async () => {
  const { key_id } = await tenant.newKey({ exportable: true });
  const jwk = publicJwk();
  ok(await exported(key_id, jwk));
  const entry = await newestEntry(tenant);
  expect(entry).toMatchObject({ action: 'key.export', key_id, actor: tenant.apiKeyId });
  expect(Object.values(entry.metadata)).toContain(thumbprint(jwk));
});

test('a key that was created as not exportable never becomes exportable', async () => {
  const { key_id } = await tenant.newKey();
  await expectNothingRecorded(tenant, async () => {
    expect(await exported(key_id, publicJwk())).toBeProblem('key_state');
  });
  const body = new TextEncoder().encode(JSON.stringify({ exportable: true }));
  const patched = await tenant.api.send('PATCH', `/v1/keys/${key_id}`, body);
  expect(patched).toBeProblem('method_not_allowed');
});

test('export with `from_version` leaves out earlier versions', async () => {
  const { key_id } = await tenant.newKey({ exportable: true });
  for (let nth = 0; nth < 2; nth++) ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  const from = async (from_version: unknown) => exported(key_id, publicJwk(), { from_version });
  const { versions, next_version } = ok(await from(2));
  expect(versions.map((version) => version.key_version)).toStrictEqual([2, 3]);
  expect(next_version).toBeNull();
  expect(ok(await from(4)).versions).toStrictEqual([]);
  for (const wrong of [0, -1, 1.5, '2', null]) expect(await from(wrong)).toBeProblem('bad_request');
});

test('export names the tenant to an API key that has only the permission to export this key', async () => {
  const { key_id } = await tenant.newKey({ exportable: true });
  const { api } = await tenant.issue({ permissions: ['keys.export'], key_ids: [key_id] });
  const { tenant_id } = ok(await api.post(`/v1/keys/${key_id}/export`, { public_key: publicJwk() }));
  expect(tenant_id).toBe(tenant.tenant_id);
});

test('export ignores extra members of the JWK', async () => {
  const { key_id } = await tenant.newKey({ exportable: true });
  const extra = { kid: 'escrow', use: 'enc', alg: 'RSA-OAEP-256', key_ops: ['encrypt'], x5c: [] };
  expect(await exported(key_id, { ...publicJwk(), ...extra })).toHaveStatus(200);
});

test.for([3_072, 3_073, 4_096, 8_192])('export accepts a modulus of %i bits', async (bits) => {
  const { key_id } = await tenant.newKey({ exportable: true });
  const { versions } = ok(await exported(key_id, jwkOfBits(bits)));
  expect(Buffer.from(versions[0]?.encrypted ?? '', 'base64')).toHaveLength(Math.ceil(bits / 8));
});

const good = jwkOfBits(3_072);
test.for([
  ['2,048 bits', jwkOfBits(2_048)],
  ['3,071 bits', jwkOfBits(3_071)],
  ['8,193 bits', jwkOfBits(8_193)],
  ['16,384 bits', jwkOfBits(16_384)],
  ['exponent 3', { ...good, e: 'Aw' }],
  ['exponent 1', { ...good, e: 'AQ' }],
  ['no exponent', { kty: 'RSA', n: good.n }],
  ['no modulus', { kty: 'RSA', e: 'AQAB' }],
  ['no kty', { n: good.n, e: 'AQAB' }],
  ['an EC key', { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }],
  ['n in base64 with other characters', { ...good, n: `${good.n}=` }],
  ['n as a number', { ...good, n: 65_537 }],
  ['PEM', '-----BEGIN PUBLIC KEY-----'],
  ['null', null],
  ['a list', [good]],
] as const)('export refuses an invalid public_key: %s', async ([, jwk]) => {
  const { key_id } = await tenant.newKey({ exportable: true });
  await expectNothingRecorded(tenant, async () => {
    expect(await exported(key_id, jwk)).toBeProblem('bad_request', /public_key/);
  });
});

test('export refuses a `public_key` with private members, and the error does not contain them', async () => {
  const { key_id } = await tenant.newKey({ exportable: true });
  const jwk = privateJwk();
  const answer = await exported(key_id, jwk);
  expect(answer).toBeProblem('bad_request', /public_key/);
  for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const) {
    expect(answer.text).not.toContain(String(jwk[member]));
    const single = await exported(key_id, { ...publicJwk(), [member]: 'AQAB' });
    expect(single).toBeProblem('bad_request', /public_key/);
  }
});
