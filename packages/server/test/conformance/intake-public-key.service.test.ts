import { expect, test } from 'vitest';
import { newTenant, ok, unknownId } from '@eaas/test-kit/fixture';
import { intakeWriter } from '@eaas/test-kit/intake-writer';

const tenant = await newTenant('--envelope-only', 'true');
const writer = await intakeWriter(tenant);

const show = (keyId: string) => tenant.api.get(`/v1/keys/${keyId}/public-key`);

test('public-key returns the public key that can be computed from the exported key', async () => {
  expect(ok(await show(writer.keyId))).toMatchObject({
    key_id: writer.keyId,
    key_version: 1,
    intake_public_key: await writer.publicKey(),
  });
});

test('public-key returns only the public key of the newest version', async () => {
  const own = await intakeWriter(tenant);
  const first = ok(await show(own.keyId)).intake_public_key;
  ok(await tenant.api.post(`/v1/keys/${own.keyId}/rotate`));
  const second = ok(await show(own.keyId));
  expect(second).toMatchObject({ key_version: 2, intake_public_key: await own.publicKey(2) });
  expect(second.intake_public_key).not.toBe(first);
});

test('for a key without intake, public-key returns null as `intake_public_key`', async () => {
  const { key_id } = await tenant.newKey({ intake: false });
  expect(ok(await show(key_id)).intake_public_key).toBeNull();
});

test('clients can cache the response to public-key, but shared caches cannot', async () => {
  const answer = await show(writer.keyId);
  expect(answer.headers.get('cache-control')).toBe('private, max-age=300');
  expect((await show(unknownId())).headers.get('cache-control')).toBe('no-store');
});
