import { expect, test } from 'vitest';
import { apiOf, settle, testWorld } from '@eaas/test-kit/world';
import { recordLastUses } from '../jobs/last-uses.ts';
import { measure } from '../jobs/measure.ts';

const day = 24 * 60 * 60 * 1_000;
const start = Date.parse('2026-03-01T00:00:00Z');

const world = await testWorld(new Date(start).toISOString());
const ann = await settle(world.replica(), 'ann');

async function newApiKey(name: string, days: number): Promise<{ api_key_id: string; api_key: string }> {
  const expires_at = new Date(start + days * day).toISOString();
  const api = apiOf(world.replica(), ann.token);
  return api('POST /v1/api-keys', { name, permissions: ['keys.read'], expires_at });
}

async function use(token: string): Promise<void> {
  const replica = world.replica();
  await apiOf(replica, token)('GET /v1/keys', {});
  await recordLastUses(replica);
}

const measured = (at = start) => world.replica().background.run((sql) => measure(sql, at));

test('the size of the database is measured', async () => {
  expect((await measured()).databaseBytes).toBeGreaterThan(1_000_000);
});

test('an API key is counted as expiring if it was used in the last week and expires within a week', async () => {
  expect(await measured()).toMatchObject({ expiring: 0, nextExpiry: null });
  const [soon, sooner, later, revoked] = [
    await newApiKey('soon', 6),
    await newApiKey('sooner', 2),
    await newApiKey('later', 8),
    await newApiKey('revoked', 3),
  ];
  await newApiKey('never used', 1);
  for (const { api_key } of [soon, sooner, later, revoked]) await use(api_key);
  const { api_key_id } = revoked;
  await apiOf(world.replica(), ann.token)('DELETE /v1/api-keys/:api_key_id', { api_key_id });
  expect(await measured()).toMatchObject({ expiring: 2, nextExpiry: start + 2 * day });
  expect(await measured(start + 3 * day)).toMatchObject({ expiring: 2, nextExpiry: start + 6 * day });
  // The API keys were not used in the last week, so they do not count as expiring.
  expect(await measured(start + 7.5 * day)).toMatchObject({ expiring: 0 });
});
