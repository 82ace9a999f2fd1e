import { alone } from '@eaas/test-kit/alone';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Api, apiOf, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { storedText } from '@eaas/test-kit/database';
import { settleDueKey, settleDueKeys } from './due-keys.ts';

const never = alone();
const day = 24 * 60 * 60 * 1_000;
const start = Date.parse('2026-09-01T00:00:00Z');

const api: Api = (route, input) => apiOf(world.replica(), ann.token)(route, input);
const settleDue = () => settleDueKeys(world.replica(), never);
const key = () => api('GET /v1/keys/:key_id', { key_id });
const newest = async (action: 'key.rotate' | 'key.destroy') =>
  (await api('GET /v1/audit', { action, key_id })).logs;

const world = await testWorld();
const attacker = await openAttacker(world);
const ann = await settle(world.replica(), 'ann');
const { key_id } = await api('POST /v1/keys', { name: 'key', rotation_policy: { interval_days: 30 } });
await attacker.keep('fresh');
beforeEach(async () => {
  await attacker.restore('fresh');
  world.time = start;
});

describe('a rotation', () => {
  test('a key is rotated at its due millisecond by the actor `system`', async () => {
    world.time = start + 30 * day - 1;
    await settleDue();
    expect(await key()).toMatchObject({ key_version: 1 });
    world.time = start + 30 * day;
    await settleDue();
    expect(await key()).toMatchObject({
      key_version: 2,
      rotated_at: '2026-10-01T00:00:00.000Z',
      next_rotation_at: '2026-10-31T00:00:00.000Z',
      versions: [{ key_version: 2 }, { key_version: 1 }],
    });
    const [entry, ...others] = await newest('key.rotate');
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      actor: 'system',
      ip_address: null,
      key_version: 2,
      metadata: { from_version: 1, key_version: 2 },
      created_at: '2026-10-01T00:00:00.000Z',
    });
  });

  test('a key that missed several rotations is rotated once, by one replica', async () => {
    world.time = start + 365 * day;
    await settleDue();
    await settleDueKey(world.replica(), ann.tenantId, key_id);
    const next_rotation_at = new Date(start + 395 * day).toISOString();
    expect(await key()).toMatchObject({ key_version: 2, next_rotation_at });
  });

  test('the rotation of a disabled key waits until the key is enabled', async () => {
    await api('POST /v1/keys/:key_id/disable', { key_id });
    world.time = start + 60 * day;
    await settleDue();
    expect(await key()).toMatchObject({ key_version: 1, status: 'disabled' });
    await api('POST /v1/keys/:key_id/enable', { key_id });
    await settleDue();
    expect(await key()).toMatchObject({ key_version: 2 });
  });
});

describe('a destruction', () => {
  const destroy = async (grace_days: number) => {
    await api('POST /v1/keys/:key_id/disable', { key_id });
    return api('DELETE /v1/keys/:key_id', { key_id, grace_days });
  };
  const material = async (): Promise<number> => {
    const [row] = await attacker.sql<{ left: number }[]>`
      select (count(sealed) + count(sealed_hash_key))::int as left
      from eaas.key_versions join eaas.keys using (tenant_id, key_id) where key_id = ${key_id}`;
    return row?.left ?? 0;
  };

  test('a due destruction erases every version and the hash key', async () => {
    await api('POST /v1/keys/:key_id/rotate', { key_id });
    await destroy(7);
    world.time = start + 7 * day - 1;
    await settleDue();
    expect(await key()).toMatchObject({ status: 'pending_destruction' });
    expect(await material()).toBe(4);
    const [stored] = await attacker.sql<{ secrets: string[] }[]>`
      select array_agg(encode(sealed, 'hex')) || min(encode(sealed_hash_key, 'hex')) as secrets
      from eaas.key_versions join eaas.keys using (tenant_id, key_id) where key_id = ${key_id}`;
    const secrets = stored?.secrets ?? [];
    const before = await storedText(world.database);
    expect(secrets.filter((secret) => before.includes(secret))).toHaveLength(3);
    world.time = start + 7 * day;
    await settleDue();
    expect(await key()).toMatchObject({
      status: 'destroyed',
      destroy_at: '2026-09-08T00:00:00.000Z',
      next_rotation_at: null,
    });
    expect(await material()).toBe(0);
    const left = await storedText(world.database);
    expect(secrets.filter((secret) => left.includes(secret))).toEqual([]);
    const entries = await newest('key.destroy');
    expect(entries.map(({ actor, metadata }) => ({ actor, erased: metadata['erased'] }))).toEqual([
      { actor: 'system', erased: true },
      { actor: ann.apiKeyId, erased: undefined },
    ]);
    for (const { metadata } of entries) expect(metadata['destroy_at']).toBe('2026-09-08T00:00:00.000Z');
    const replica = world.replica();
    const decide = vi.spyOn(replica.ledger, 'decide');
    await settleDueKeys(replica, never);
    expect(decide).not.toHaveBeenCalled();
    decide.mockRestore();
  });

  test('no key is erased while the clock of this machine is a year off', async () => {
    await destroy(7);
    world.time = start + 7 * day;
    const wrong = Object.assign(world.replica(), { wallClock: () => world.time - 366 * day });
    await expect(settleDueKeys(wrong, never)).rejects.toThrow('1 of 1 failed');
    expect([await key(), await material()]).toMatchObject([{ status: 'pending_destruction' }, 2]);
  });

  test('a destruction can be cancelled only until it is due', async () => {
    await destroy(1);
    world.time = start + day - 1;
    expect(await api('POST /v1/keys/:key_id/restore', { key_id })).toMatchObject({ destroy_at: null });
    world.time = start + 2 * day;
    await settleDue();
    expect([await key(), await material()]).toMatchObject([{ status: 'disabled' }, 2]);

    await api('DELETE /v1/keys/:key_id', { key_id, grace_days: 1 });
    world.time = start + 3 * day;
    expect(await statusOf(api('POST /v1/keys/:key_id/restore', { key_id }))).toBe(409);
    await settleDue();
    expect(await statusOf(api('POST /v1/keys/:key_id/restore', { key_id }))).toBe(409);
  });

  test('a replica erases no key that was restored or is not due', async () => {
    await destroy(1);
    await api('POST /v1/keys/:key_id/restore', { key_id });
    world.time = start + day;
    const late = () => settleDueKey(world.replica(), ann.tenantId, key_id);
    await late();
    expect(await key()).toMatchObject({ status: 'disabled' });
    await api('DELETE /v1/keys/:key_id', { key_id, grace_days: 1 });
    await late();
    expect(await key()).toMatchObject({ status: 'pending_destruction' });
    expect(await material()).toBe(2);
  });
});

test('a thousand due keys of one tenant do not delay the keys of another tenant', async () => {
  const bob = await settle(world.replica(), 'bob');
  const { key_id: theirs } = await apiOf(world.replica(), bob.token)('POST /v1/keys', {
    name: 'key',
    rotation_policy: { interval_days: 1 },
  });

  // The inserted rows have wrong MACs, so the job cannot rotate these keys, and they stay due.
  await attacker.sql`
    insert into eaas.keys select (jsonb_populate_record(k, jsonb_build_object('key_id', gen_random_uuid(), 'name', nth))).*
    from eaas.keys k, generate_series(1, 1000) as nth where key_id = ${theirs}`;
  const { key_id: late } = await api('POST /v1/keys', {
    name: 'late',
    rotation_policy: { interval_days: 30 },
  });
  world.time = start + 30 * day;
  await expect(settleDue()).rejects.toThrow('of 1000 failed');
  for (const one of [key_id, late]) {
    expect(await api('GET /v1/keys/:key_id', { key_id: one })).toMatchObject({ key_version: 2 });
  }
});
