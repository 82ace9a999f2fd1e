import { beforeEach, expect, test } from 'vitest';
import { alone } from '@eaas/test-kit/alone';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { purge } from '@eaas/test-kit/server';
import { nextEntries, type Position } from './next-entries.ts';

const api = () => apiOf(world.replica(), ann.token);
const wrap = () => api()('POST /v1/keys/:key_id/wrap', { key_id, dek });

async function next(after?: Position) {
  const { entries, position, fault } = await nextEntries(world.replica(), ann.tenantId, after);
  const [found = null] = /entry \d+ [^.]+/.exec(fault?.message ?? '') ?? [];
  return { ids: entries.map(({ id }) => id), position, found };
}

const world = await testWorld('2026-01-31T00:00:00Z');
const attacker = await openAttacker(world);
const ann = await settle(world.replica(), 'ann');
const { key_id } = await api()('POST /v1/keys', { name: 'key' });
for (let day = 1; day <= 6; day++) {
  world.time = Date.UTC(2026, 1, day, 12);
  await wrap();
}
await attacker.keep('fresh');
beforeEach(async () => {
  await attacker.restore('fresh');
  world.time = Date.UTC(2026, 1, 7);
});

test.each([
  ['action', "action = 'key.unwrap'"],
  ['hash', "hash = decode(repeat('00', 32), 'hex')"],
  ['MAC', "mac = decode(repeat('00', 32), 'hex')"],
])('no entry from one with a changed %s on is returned', async (_, change) => {
  await attacker.sql.unsafe(`update eaas.audit_entries set ${change} where id = 6`);
  const position = { id: 5 };
  expect(await next()).toMatchObject({ ids: [1, 2, 3, 4, 5], found: 'entry 6 is not authentic', position });
});

test('missing entries are found, also at the end of the log', async () => {
  await attacker.sql`delete from eaas.audit_entries where id = 6`;
  expect(await next()).toMatchObject({ ids: [1, 2, 3, 4, 5], found: 'entry 6 is missing' });
  await attacker.sql`delete from eaas.audit_entries where id >= 7`;
  expect(await next()).toMatchObject({ ids: [1, 2, 3, 4, 5], found: 'entry 6 is missing' });
});

test('a log that no longer has the position is found, whatever follows there', async () => {
  await wrap();
  const { position } = await next();
  await attacker.restore('fresh');
  const found = 'entry 9 is missing, or is another one than before';
  expect(await next(position)).toMatchObject({ ids: [], found, position });
  world.time += 1;
  await wrap();
  expect(await next(position)).toMatchObject({ ids: [], found, position });
});

test('after a purge, the entries that are left follow', async () => {
  const { position } = await next();
  world.time = Date.UTC(2026, 2, 3, 18);
  await wrap();
  await purge(world.replica(), 1, alone());
  const first = { id: 1, hash: '00'.repeat(32) };
  expect(await next(first)).toMatchObject({ ids: [6, 7, 8, 9], found: null });
  expect(await next()).toMatchObject({ ids: [6, 7, 8, 9], found: null });
  expect(await next(position)).toMatchObject({ ids: [9], found: null });
  const last = { id: 5, hash: '00'.repeat(32) };
  expect(await next(last)).toMatchObject({ ids: [], found: expect.stringContaining('entry 5') });
});

test("nothing is returned if an attacker has changed the tenant's row", async () => {
  await attacker.sql`update eaas.tenants set name = 'bob' where tenant_id = ${ann.tenantId}`;
  await expect(next()).rejects.toThrow('integrity check');
});
