import { expect, test } from 'vitest';
import { randomElements } from '@eaas/test-kit/elements';
import { expectNothingRecorded, newTenant, ok, unknownId } from '@eaas/test-kit/fixture';

const tenant = await newTenant();
const key = await tenant.newKey();

const show = (keyId: string, api = tenant.api) => api.get(`/v1/keys/${keyId}/public-key`);

test('public-key returns the same public key as POST /v1/hash/blind', async () => {
  const elements = randomElements(1);
  const { public_key } = ok(await tenant.api.post('/v1/hash/blind', { key_id: key.key_id, elements }));
  const answer = await show(key.key_id);
  expect(answer).toHaveStatus(200);
  expect(answer.body).toStrictEqual({
    key_id: key.key_id,
    key_version: 1,
    intake_public_key: null,
    hash_public_key: public_key,
  });
});

test('clients can cache the response to public-key, but shared caches cannot', async () => {
  const answer = await show(key.key_id);
  expect(answer.headers.get('cache-control')).toBe('private, max-age=300');
  expect((await show(unknownId())).headers.get('cache-control')).toBe('no-store');
});

test('a rotation changes `key_version`, and does not change `hash_public_key`', async () => {
  const { key_id } = await tenant.newKey();
  const { hash_public_key } = ok(await show(key_id));
  ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  expect(ok(await show(key_id))).toMatchObject({ key_version: 2, hash_public_key });
});

test('each key has a different public key', async () => {
  const other = await tenant.newKey();
  const [one, two] = [ok(await show(key.key_id)), ok(await show(other.key_id))];
  expect(one.hash_public_key).not.toBe(two.hash_public_key);
});

test('public-key writes no entry', async () => {
  await expectNothingRecorded(tenant, async () => {
    expect(await show(key.key_id)).toHaveStatus(200);
  });
});
