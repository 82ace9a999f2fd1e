import { createHmac } from 'node:crypto';
import { limits } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
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
  const value = ' Gru\u0308ße\u0000 ';
  const { hash } = ok(await tenant.api.post('/v1/hash', { key_id, value }));

  const answer = await exported(key_id, publicJwk());
  expect(answer).toHaveStatus(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  // With the id of the tenant, an export is enough to decrypt offline, in every page and for every API key.
  expect(answer.body).toStrictEqual({
    hash_key: aBase64,
    key_id,
    next_version: null,
    tenant_id: tenant.tenant_id,
    versions: [
      { key_version: 1, encrypted: aBase64 },
      { key_version: 2, encrypted: aBase64 },
    ],
  });
  const [first, second] = answer.body.versions.map(({ encrypted }) => openOaep(encrypted));
  const place = { tenant: tenant.tenant_id, key: key_id };
  expect(first).toHaveLength(32);
  expect(openWrappedKey(one, first ?? Buffer.of(), place)).toBe(dek);
  expect(openWrappedKey(two, second ?? Buffer.of(), { ...place, context })).toBe(dek);
  const hashKey = openOaep(answer.body.hash_key);
  expect(createHmac('sha256', hashKey).update(value).digest('hex')).toBe(hash);
  const { metadata, ...entry } = await newestEntry(tenant);
  expect(entry).toMatchObject({ action: 'key.export', key_id, actor: tenant.apiKeyId });
  expect(Object.values(metadata)).toContain(thumbprint(publicJwk()));
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

describe('export with `subjects`', async () => {
  const other = await newTenant();
  const { key_id } = await other.newKey({ exportable: true });
  const path = `/v1/keys/${key_id}/export` as const;
  const people = (fields: object = {}, api = other.api) =>
    api.post(path, { public_key: publicJwk(), subjects: true, ...fields });
  const wrap = async (subject: string) => {
    const dek = newDek();
    const { wrapped_key } = ok(await other.api.post(`/v1/keys/${key_id}/wrap`, { dek, subject }));
    return { dek, wrapped_key };
  };

  test('has what opens the data keys of a person, and nothing of a person who was erased', async () => {
    const { dek, wrapped_key } = await wrap('42');
    await wrap('43');
    const { subject_id: erased } = ok(await other.api.post('/v1/subjects/erase', { subject: '43' }));
    const exported = ok(await people());
    expect(await newestEntry(other)).toMatchObject({
      action: 'key.export',
      metadata: { jwk_thumbprint: thumbprint(publicJwk()), subjects: 1 },
    });
    const { subjects = [], subjects_key = '', next_subject, versions } = exported;
    expect(next_subject).toBeNull();
    const subject_id = createHmac('sha256', openOaep(subjects_key)).update('42').digest('hex');
    expect(subjects).toStrictEqual([{ subject_id, encrypted: aBase64 }]);
    expect(subjects[0]?.subject_id).not.toBe(erased);
    const subjectSecret = openOaep(subjects[0]?.encrypted ?? '');
    const place = { tenant: other.tenant_id, key: key_id, subjectSecret };
    expect(openWrappedKey(wrapped_key, openOaep(versions[0]?.encrypted ?? ''), place)).toBe(dek);
  });

  test('has at most so many subjects, by ascending id, and says where the next page begins', async () => {
    const most = limits.exportedSubjects;
    for (let page = 0; page < 2; page++) {
      const items = Array.from({ length: 0.6 * most }, (_, nth) => ({
        key_id,
        dek: newDek(),
        subject: `${page} ${nth}`,
      }));
      ok(await other.api.post('/v1/batch/wrap', { items }));
    }
    const first = ok(await people({ from_version: 2 }));
    expect(first).toMatchObject({ versions: [], next_version: null });
    expect(first.subjects?.length).toBeOneOf([most - 1, most]); // The erased one can be on this page.
    const second = ok(await people({ from_version: 2, from_subject: first.next_subject }));
    const ids = [first, second].flatMap(({ subjects = [] }) => subjects.map(({ subject_id }) => subject_id));
    expect(ids).toStrictEqual([...new Set(ids)].toSorted());
    const { subjects: count } = ok(await other.api.get('/v1/usage'));
    expect(ids).toHaveLength(count);
    expect(second.next_subject).toBeNull();
    expect(ok(await people({ from_subject: 'f'.repeat(64) })).subjects).toStrictEqual([]);
  });

  test('is refused for an API key that is limited to this key, and without a permission', async () => {
    const limited = await other.issue({ permissions: ['keys.export'], key_ids: [key_id] });
    await expectNothingRecorded(other, async () => {
      expect(await people({}, limited.api)).toBeProblem('permission_missing', /limited to the keys/);
      expect(await people({ subjects: false, from_subject: 'a'.repeat(64) })).toBeProblem(
        'bad_request',
        /from_subject/,
      );
    });
    expect(await people({ subjects: false }, limited.api)).toHaveStatus(200);
  });
});

test.for([3_072, 8_192])('export accepts a modulus of %i bits', async (bits) => {
  const { key_id } = await tenant.newKey({ exportable: true });
  const { versions } = ok(await exported(key_id, jwkOfBits(bits)));
  expect(Buffer.from(versions[0]?.encrypted ?? '', 'base64')).toHaveLength(Math.ceil(bits / 8));
});

const good = jwkOfBits(3_072);
test.for([
  ['3,071 bits', jwkOfBits(3_071)],
  ['8,193 bits', jwkOfBits(8_193)],
  ['exponent 3', { ...good, e: 'Aw' }],
  ['an EC key', { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }],
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
