import { alone } from '@eaas/test-kit/alone';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Api, apiOf, dek, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { insider } from '../state/caller.ts';
import { operations } from '../operations/table.ts';
import { uncountedTenants, unmarkCounted } from '../store/usage.ts';
import { countUsage, recordLastUses } from './housekeeping.ts';

const never = alone();

const api: Api = (route, input) => apiOf(world.replica(), ann.token)(route, input);
const count = () => countUsage(world.replica(), never);
const usage = async (month?: string) => (await api('GET /v1/usage', { month })).operations;
const wrap = () => api('POST /v1/keys/:key_id/wrap', { key_id, dek });

const world = await testWorld('2026-09-30T23:59:58.000Z');
const attacker = await openAttacker(world);
const ann = await settle(world.replica(), 'ann', { monthly_encrypt_quota: 100 });
const { key_id } = await api('POST /v1/keys', { name: 'key' });
await attacker.keep('fresh');
beforeEach(async () => {
  await attacker.restore('fresh');
  world.time = Date.parse('2026-09-30T23:59:59.000Z');
});

const nothing = { encrypt: 0, decrypt: 0, 'key.wrap': 0, 'key.unwrap': 0 };

test('usage is exact immediately after the requests, even before a job has counted the entries', async () => {
  const { wrapped_key } = await wrap();
  await api('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key });
  await api('POST /v1/keys/:key_id/rewrap', { key_id, wrapped_key });
  const { ciphertext, key_version } = await api('POST /v1/encrypt', { key_id, plaintext: 'text' });
  await api('POST /v1/decrypt', { key_id, ciphertext, key_version });
  await operations['POST /v1/batch/wrap'](world.replica(), insider(ann.tenantId, 'system'), {
    items: [
      { key_id, dek },
      { key_id, dek },
      { key_id: 'no key', dek },
    ],
  });
  const all = { encrypt: 1, decrypt: 1, 'key.wrap': 4, 'key.unwrap': 1 };
  expect(await usage()).toEqual(all);
  await count();
  expect(await usage()).toEqual(all);
  await wrap();
  expect(await usage()).toEqual({ ...all, 'key.wrap': 5 });
  await count();
  await count();
  expect(await usage()).toEqual({ ...all, 'key.wrap': 5 });
});

test('usage counts a successful call even if its context has the name `outcome` with the value `refused`', async () => {
  const { wrapped_key } = await wrap();
  const context = { outcome: 'refused' };
  await api('POST /v1/keys/:key_id/wrap', { key_id, dek, context });
  expect(await statusOf(api('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key, context }))).toBe(403);
  await api('POST /v1/keys/:key_id/disable', { key_id });
  await statusOf(api('POST /v1/keys/:key_id/wrap', { key_id, dek }));
  const all = { ...nothing, 'key.wrap': 2 };
  expect(await usage()).toEqual(all);
  await count();
  expect(await usage()).toEqual(all);
});

test('usage counts an operation in the UTC month in which it was recorded', async () => {
  world.time = Date.parse('2026-09-30T23:59:59.999Z');
  await wrap();
  world.time = Date.parse('2026-10-01T00:00:00.000Z');
  await wrap();
  await wrap();
  for (let round = 0; round < 2; round++) {
    expect(await usage('2026-09')).toEqual({ ...nothing, 'key.wrap': 1 });
    expect(await usage('2026-10')).toEqual({ ...nothing, 'key.wrap': 2 });
    expect(await usage()).toEqual(await usage('2026-10'));
    expect(await usage('2026-11')).toEqual(nothing);
    await count();
  }
  expect(await api('GET /v1/usage', { month: '2026-10' })).toMatchObject({ encrypt_quota: 100 });
});

test('concurrent replicas count each operation only once', async () => {
  for (let round = 1; round <= 10; round++) {
    await Promise.all([wrap(), wrap(), wrap(), count(), count(), count(), usage()]);
    expect(await usage()).toEqual({ ...nothing, 'key.wrap': 3 * round });
  }
  await Promise.all([count(), count(), count()]);
  const [row] = await attacker.sql`select count::int from eaas.usage where operation = 'key.wrap'`;
  expect(row?.['count']).toBe(30);
});

test('a key shows the counted uses of each version', async () => {
  const { wrapped_key } = await wrap();
  await api('POST /v1/keys/:key_id/rotate', { key_id });
  await wrap();
  await wrap();
  await api('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key });
  const versions = async () => (await api('GET /v1/keys/:key_id', { key_id })).versions;
  expect(await versions()).toMatchObject([{ wraps: 0 }, { wraps: 0 }]);
  await Promise.all([count(), count()]);
  expect(await versions()).toMatchObject([
    { key_version: 2, wraps: 2, unwraps: 0, last_unwrap_at: null },
    { key_version: 1, wraps: 1, unwraps: 1, last_unwrap_at: '2026-09-30T23:59:59.000Z' },
  ]);
});

test("an invalid log of one tenant does not prevent the counting of other tenants' usage", async () => {
  const ben = await settle(world.replica(), 'ben');
  await apiOf(world.replica(), ben.token)('POST /v1/keys', { name: 'key' });
  await wrap();
  await attacker.sql`update eaas.audit_entries set action = 'key.wrap', metadata = 'no JSON' where tenant_id = ${ann.tenantId}`;
  await expect(count()).rejects.toThrow('1 of 2 failed');
  const [row] = await attacker.sql`
    select counted_through::int as through from eaas.usage_cursors where tenant_id = ${ben.tenantId}`;
  expect(row?.['through']).toBe(2);
});

test('the usage job visits only tenants with uncounted entries', async () => {
  const left = () => world.replica().background.run(uncountedTenants);
  await wrap();
  await count();
  expect(await left()).toEqual([]);
  await wrap();
  expect(await left()).toEqual([ann.tenantId]);
  await wrap();
  await attacker.sql`update eaas.usage_cursors set counted_through = counted_through + 1`;
  await world.replica().background.run((sql) => unmarkCounted(sql, ann.tenantId));
  expect(await left()).toEqual([ann.tenantId]);
});

describe('last_used_at', () => {
  const lastUse = async () =>
    (await api('GET /v1/api-keys/:api_key_id', { api_key_id: ann.apiKeyId })).last_used_at;

  test('the usage job never decreases `last_used_at`', async () => {
    const [one, other] = [world.replica(), world.replica()];
    expect(await lastUse()).toBeNull();
    world.time = Date.parse('2026-10-01T10:00:59.999Z');
    await apiOf(one, ann.token)('GET /v1/keys', {});
    world.time = Date.parse('2026-10-01T10:01:00.000Z');
    await apiOf(other, ann.token)('GET /v1/keys', {});
    await recordLastUses(other);
    expect(await lastUse()).toBe('2026-10-01T10:01:00.000Z');
    await recordLastUses(one);
    expect(await lastUse()).toBe('2026-10-01T10:01:00.000Z');
  });
});
