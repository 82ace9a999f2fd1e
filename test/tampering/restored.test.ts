import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Service } from '../../packages/server/src/service.ts';
import { apiOf, dek, openWorld, type Resident, settle, statusOf, type World } from '../setup/world.ts';
import { type Attacker, openAttacker } from './attacker.ts';

// A database that is put back to an earlier state gives ids again, and with them the names of states. A replica that ran
// all the while must not take what it remembers of the first time for what is true of the second.

let world: World;
let attacker: Attacker;
let running: Service;
let tenant: Resident;
let keyId: string;
beforeEach(async () => {
  world = await openWorld('2026-11-20T10:00:00Z');
  attacker = await openAttacker(world.database);
  running = world.replica();
  tenant = await settle(running, 'acme');
  keyId = (await apiOf(running, tenant.token)('POST /v1/keys', { name: 'cards' })).key_id;
});
afterEach(async () => {
  await attacker.close();
  await world.close();
});

const wrap = (service: Service) =>
  statusOf(apiOf(service, tenant.token)('POST /v1/keys/:key_id/wrap', { key_id: keyId, dek }));
const hash = (service: Service) =>
  statusOf(apiOf(service, tenant.token)('POST /v1/hash', { key_id: keyId, value: 'x' }));

/** Something that changes the state and leaves the key as it is. */
const rotate = (service: Service) =>
  apiOf(service, tenant.token)('POST /v1/keys/:key_id/rotate', { key_id: keyId });
const disable = (service: Service) =>
  apiOf(service, tenant.token)('POST /v1/keys/:key_id/disable', { key_id: keyId });

test.each([0, 1, 5])(
  'after a restore the same ids are other entries: what the first time allowed, the second refuses (%i entries later)',
  async (wraps) => {
    await attacker.keep('backup');
    await rotate(running);
    expect([await wrap(running), await hash(running)]).toEqual([200, 200]);

    await attacker.restore('backup');
    const other = world.replica();
    await disable(other);
    await apiOf(other, tenant.token)('POST /v1/keys', { name: 'later' });
    for (let nth = 0; nth < wraps; nth++)
      await apiOf(other, tenant.token)('POST /v1/keys', { name: `${nth}` });
    expect([await hash(running), await wrap(running)]).toEqual([409, 409]);
    expect(running.tenants.wentBack).toBeGreaterThan(0);
  },
);

test('a chain that is shorter than it was is noticed, and goes on from where it is', async () => {
  await attacker.keep('backup');
  for (let nth = 0; nth < 3; nth++) expect(await wrap(running)).toBe(200);
  await attacker.restore('backup');
  expect([await wrap(running), await hash(running)]).toEqual([200, 200]);
  expect(running.tenants.wentBack).toBe(1);
  const verified = await apiOf(running, tenant.token)('GET /v1/audit/verify', {});
  expect(verified).toMatchObject({ valid: true, head: { id: 3 } });
});
