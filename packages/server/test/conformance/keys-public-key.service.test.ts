import { expect, test } from 'vitest';
import { randomElements } from '@eaas/test-kit/elements';
import { expectNothingRecorded, keyIn, newTenant, ok, unknownId } from '@eaas/test-kit/fixture';

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

test.for(['disabled', 'pending_destruction', 'destroyed'] as const)(
  'a %s key shows no public key',
  async (status) => {
    const { key_id } = await keyIn(tenant, status);
    expect(await show(key_id)).toBeProblem('key_state');
  },
);

test('public-key writes no entry', async () => {
  await expectNothingRecorded(tenant, async () => {
    expect(await show(key.key_id)).toHaveStatus(200);
  });
});

test('public-key needs the permission `encrypt`', async () => {
  const { api: encrypting } = await tenant.issue({ permissions: ['encrypt'] });
  const { api: reading } = await tenant.issue({ permissions: ['keys.read', 'decrypt'] });
  expect(await show(key.key_id, encrypting)).toHaveStatus(200);
  expect(await show(key.key_id, reading)).toBeProblem('permission_missing');
});

test('public-key refuses unknown keys and keys of other tenants', async () => {
  const stranger = await newTenant();
  const foreign = await stranger.newKey();
  const { api: limited } = await tenant.issue({ permissions: ['encrypt'], key_ids: [key.key_id] });
  const other = await tenant.newKey();
  expect(await show(unknownId())).toBeProblem('not_found');
  expect(await show(foreign.key_id)).toBeProblem('not_found');
  expect(await show(other.key_id, limited)).toBeProblem('not_found');
});
