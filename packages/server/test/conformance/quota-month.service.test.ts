import { expect, test } from 'vitest';
import { apiOf, settle, statusOf, testWorld } from '@eaas/test-kit/world';

// The test needs a simulated clock, so its server runs inside the test process.

const world = await testWorld('2026-12-31T23:59:00.000Z');

test('the quota resets at the start of a UTC month', async () => {
  const replica = world.replica();
  const { token } = await settle(replica, 'ann', { monthly_encrypt_quota: 2 });
  const api = apiOf(replica, token);
  const { key_id } = await api('POST /v1/keys', { name: 'key' });
  const statuses = async () => {
    const encrypt = () => statusOf(api('POST /v1/encrypt', { key_id, plaintext: 'x' }));
    return [await encrypt(), await encrypt(), await encrypt()];
  };
  expect(await statuses()).toStrictEqual([200, 200, 429]);
  world.time = Date.parse('2026-12-31T23:59:59.999Z');
  expect(await statuses()).toStrictEqual([429, 429, 429]);
  world.time = Date.parse('2027-01-01T00:00:00.000Z');
  expect(await statuses()).toStrictEqual([200, 200, 429]);
  expect((await api('GET /v1/usage', {})).operations.encrypt).toBe(2);
  expect((await api('GET /v1/usage', { month: '2026-12' })).operations.encrypt).toBe(2);
});
