import { beforeEach, describe, expect, test } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import { apiOf, dek, type Resident, settle, statusOf, testWorld, type World } from '@eaas/test-kit/world';
import { type Attacker, openAttacker } from '@eaas/test-kit/attacker';

// A restored database gives the ids of lost audit entries to new entries.

let world: World;
let attacker: Attacker;
let running: Service;
let tenant: Resident;
let keyId: string;
beforeEach(async () => {
  world = await testWorld('2026-11-20T10:00:00Z');
  attacker = await openAttacker(world);
  running = world.replica();
  tenant = await settle(running, 'acme');
  keyId = (await apiOf(running, tenant.token)('POST /v1/keys', { name: 'cards' })).key_id;
});

const wrap = (service: Service) =>
  statusOf(apiOf(service, tenant.token)('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek }));
const hash = (service: Service) =>
  statusOf(apiOf(service, tenant.token)('POST /v1/hash', { key_id: keyId, value: 'x' }));

const rotate = (service: Service) =>
  apiOf(service, tenant.token)('POST /v1/keys/:key_id/rotate', { key_id: keyId });

test('if a restore shortened the chain, a replica appends after the new last entry', async () => {
  await attacker.keep('backup');
  for (let nth = 0; nth < 3; nth++) expect(await wrap(running)).toBe(200);
  await attacker.restore('backup');
  expect([await wrap(running), await hash(running)]).toEqual([200, 200]);
  expect(running.counts.wentBack).toBe(1);
  const verified = await apiOf(running, tenant.token)('GET /v1/audit/verify', {});
  expect(verified).toMatchObject({ valid: true, head: { id: 3 } });
});

describe('a lost change whose id was given to a later change', () => {
  let unseen: string;
  let known: { api_key: string; api_key_id: string };
  const issue = (name: string) =>
    apiOf(running, tenant.token)('POST /v1/api-keys', {
      name,
      permissions: ['encrypt', 'decrypt', 'keys.read'],
    });
  const wrapAs = (service: Service, token: string) =>
    apiOf(service, token)('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek });

  beforeEach(async () => {
    unseen = (await issue('unseen')).api_key;
    known = await issue('known');
    await wrapAs(running, known.api_key);
    await attacker.keep('standby');
  });

  const roads = {
    'a token that the replica has not cached': () => apiOf(running, unseen)('GET /v1/keys', {}),
    'an append': () => wrap(running),
    'a read': () => hash(running),
    'a change': () => apiOf(running, tenant.token)('POST /v1/keys', { name: 'first' }),
  };
  const combinations = Object.keys(roads).flatMap((road) =>
    [0, 5].map((further) => [road as keyof typeof roads, further] as const),
  );

  test.each(combinations)(
    'is not used, and what came instead counts (first call: %s, after %i wraps of another replica)',
    async (road, further) => {
      await rotate(running);
      await wrap(running);
      await wrapAs(running, known.api_key);
      await attacker.restore('standby');
      const other = world.replica();
      const { api_key_id } = known;
      await apiOf(other, tenant.token)('DELETE /v1/api-keys/:api_key_id', { api_key_id });
      for (let nth = 0; nth < further; nth++) await wrap(other);
      await roads[road]();
      expect(await statusOf(wrapAs(running, known.api_key))).toBe(401);
      const { wrapped_key, key_version } = await wrapAs(running, tenant.token);
      expect(key_version).toBe(1);
      const opened = apiOf(world.replica(), tenant.token)('POST /v1/keys/:key_id/unwrap', {
        key_id: keyId,
        wrapped_key,
      });
      expect(await opened).toMatchObject({ dek });
    },
  );
});
