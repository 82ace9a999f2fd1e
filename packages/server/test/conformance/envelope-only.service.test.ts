import { expect, test } from 'vitest';
import { asJson } from '@eaas/test-kit/api';
import { newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';

const tenant = await newTenant('--envelope-only', 'true');
const keyId = (await tenant.newKey()).key_id;

test.for(['/v1/encrypt', '/v1/decrypt'] as const)(
  '%s returns 403 with E_ENVELOPE_ONLY, after its entry is written',
  async (path) => {
    const before = await tenant.auditTotal();
    const body = { plaintext: 'x', key_id: keyId, ciphertext: 'AAAA', key_version: 1 };
    expect(await tenant.api.post(path, body)).toBeProblem('envelope_only', /^E_ENVELOPE_ONLY:/);
    expect(await tenant.api.send('POST', path, 'not JSON', asJson)).toBeProblem('envelope_only');
    expect(await tenant.auditTotal()).toBe(before + 2);
    expect(await newestEntry(tenant)).toMatchObject({
      action: 'envelope_only.refused',
      key_id: null,
      key_version: null,
      actor: tenant.apiKeyId,
    });
  },
);

test('a call that an envelope-only tenant refuses does not count as usage', async () => {
  const own = await newTenant('--envelope-only', 'true');
  expect(await own.api.post('/v1/encrypt', {})).toBeProblem('envelope_only');
  const { operations } = ok(await own.api.get('/v1/usage'));
  expect(operations).toStrictEqual({ encrypt: 0, decrypt: 0, 'key.wrap': 0, 'key.unwrap': 0 });
});

test('after the operator turns envelope-only on or off, the next request sees the change', async () => {
  const own = await newTenant();
  const { key_id } = await own.newKey();
  const encrypt = () => own.api.post('/v1/encrypt', { plaintext: 'x', key_id });
  expect(await encrypt()).toHaveStatus(200);
  expect(await own.set('--envelope-only', 'true')).toMatchObject({ envelope_only: true });
  expect(await encrypt()).toBeProblem('envelope_only');
  await own.set('--envelope-only', 'false');
  expect(await encrypt()).toHaveStatus(200);
  const updates = await own.entries('action=tenant.update');
  const change = { key_id: null, key_version: null, actor: 'operator', ip_address: null };
  expect(updates).toMatchObject([change, change]);
});
