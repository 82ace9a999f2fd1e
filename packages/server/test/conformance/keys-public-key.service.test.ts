import { expect, test } from 'vitest';
import { expectNothingRecorded, newTenant, ok, unknownId } from '@eaas/test-kit/fixture';

const tenant = await newTenant();
const key = await tenant.newKey();

const show = (keyId: string, api = tenant.api) => api.get(`/v1/keys/${keyId}/public-key`);

test('public-key of a key without intake has no public key', async () => {
  const answer = await show(key.key_id);
  expect(answer).toHaveStatus(200);
  expect(answer.body).toStrictEqual({ key_id: key.key_id, key_version: 1, intake_public_key: null });
});

test('clients can cache the response to public-key, but shared caches cannot', async () => {
  const answer = await show(key.key_id);
  expect(answer.headers.get('cache-control')).toBe('private, max-age=300');
  expect((await show(unknownId())).headers.get('cache-control')).toBe('no-store');
});

test('a rotation changes `key_version`', async () => {
  const { key_id } = await tenant.newKey();
  ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  expect(ok(await show(key_id))).toMatchObject({ key_version: 2 });
});

test('public-key writes no entry', async () => {
  await expectNothingRecorded(tenant, async () => {
    expect(await show(key.key_id)).toHaveStatus(200);
  });
});
