import { alone } from '@eaas/test-kit/alone';
import postgres from 'postgres';
import { beforeEach, describe, expect, test } from 'vitest';
import { apiOf, dek, settle, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { verifyLog } from '../operator/verify.ts';
import { destroyTenant } from '../operator/tenants.ts';
import { hasCitus } from '../postgres/citus.ts';
import { Database } from '../postgres/database.ts';
import { openPool } from '../postgres/sql.ts';
import { monthsEarlier, purge } from './purge.ts';

const never = alone();

describe('monthsEarlier', () => {
  test.each([
    ['2026-01-31T00:00:00.000Z', 1, '2025-12-31T00:00:00.000Z'],
    ['2028-03-31T23:59:59.999Z', 1, '2028-02-29T23:59:59.999Z'],
    ['2028-02-29T00:00:00.000Z', 48, '2024-02-29T00:00:00.000Z'],
  ])('the time %s minus %i months is %s', (from, months, to) => {
    expect(new Date(monthsEarlier(Date.parse(from), months)).toISOString()).toBe(to);
  });
});

const at = (time: string): number => Date.parse(time);
const annsApi = () => apiOf(world.replica(), ann.token);
const wrap = () => annsApi()('POST /v1/keys/:key_id/wrap', { key_id, dek });
const verified = () => verifyLog(world.replica(), ann.tenantId);
const left = async (): Promise<number[]> => {
  const rows = await attacker.sql<{ id: string }[]>`
    select id from eaas.audit_entries where tenant_id = ${ann.tenantId} order by id`;
  return rows.map(({ id }) => Number(id));
};
const ids = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

const world = await testWorld('2026-01-31T00:00:00Z');
const attacker = await openAttacker(world);
const holder = postgres(world.database.connection('superuser'));
const owner = openPool(world.database.connection('owner'), 1);
world.onClose(() => holder.end());
world.onClose(() => owner.end());
const ann = await settle(world.replica(), 'ann');
const { key_id } = await annsApi()('POST /v1/keys', { name: 'key' });
for (let day = 1; day <= 10; day++) {
  world.time = Date.UTC(2026, 1, day, 12);
  await wrap();
}
await attacker.keep('fresh');
beforeEach(async () => {
  await attacker.restore('fresh');
  world.time = at('2026-02-10T13:00:00Z');
});

test('a purge keeps an entry that is exactly as old as the retention, and deletes it one millisecond later', async () => {
  world.time = at('2026-03-05T12:00:00.000Z');
  await purge(world.replica(), 1, never);
  expect(await left()).toEqual(ids(7, 12));
  world.time = at('2026-03-05T12:00:00.001Z');
  await purge(world.replica(), 1, never);
  expect(await left()).toEqual(ids(8, 12));
  expect(await verified()).toMatchObject({ valid: true, first_id: 8, checked: 5, purged_through: { id: 7 } });
});

test.each([366, -366])('nothing is purged while the clock of this machine is %i days ahead', async (days) => {
  world.time = at('2027-01-01T00:00:00Z');
  const wrong = Object.assign(world.replica(), { wallClock: () => world.time + days * 86_400_000 });
  await expect(purge(wrong, 1, never)).rejects.toThrow('nothing is erased while the clock of this machine');
  expect(await left()).toEqual(ids(1, 12));
});

test('the first entry after a complete purge contains the hash of the last purged entry', async () => {
  world.time = at('2027-01-01T00:00:00Z');
  await purge(world.replica(), 1, never);
  expect(await left()).toEqual([]);
  expect(await verified()).toMatchObject({ valid: true, first_id: null, head: { id: 12 } });
  expect(await annsApi()('GET /v1/audit', {})).toMatchObject({ logs: [], total: 0 });
  await wrap();
  expect(await left()).toEqual([13]);
  expect(await verified()).toMatchObject({ valid: true, first_id: 13, checked: 1 });
  const { logs, total } = await annsApi()('GET /v1/audit', { date_from: '2026-01-01T00:00:00Z' });
  expect({ ids: logs.map(({ id }) => id), total }).toEqual({ ids: [13], total: 1 });
  await purge(world.replica(), 1, never);
  expect(await left()).toEqual([13]);
});

test('the audit chain is valid after concurrent purges and appends', async () => {
  for (let day = 1; day <= 10; day++) {
    world.time = Date.UTC(2026, 2, day, 12, 0, 0, 1);
    const purges = ids(1, 3).map(() => purge(world.replica(), 1, never));
    await Promise.all([...purges, ...ids(1, 10).map(wrap), verified(), annsApi()('GET /v1/audit', {})]);
    const found = await verified();
    expect(found).toMatchObject({
      valid: true,
      purged_through: { id: 2 + day },
      head: { id: 12 + 10 * day },
    });
    expect(await left()).toEqual(ids(3 + day, 12 + 10 * day));
  }
});

test('if two purges run at the same time, the one that ends later changes nothing', async () => {
  world.time = at('2026-03-05T12:00:00.000Z');
  class Late extends Database {
    override async transaction<T>(...all: Parameters<Database['transaction']>): Promise<T> {
      world.time = at('2026-03-08T12:00:00.000Z');
      await purge(world.replica(), 1, never);
      return (await super.transaction(...all)) as T;
    }
  }
  const database = new Late(world.database.connection('server'), 2);
  await purge({ ...world.replica(), background: database }, 1, never);
  await database.close();
  expect(await left()).toEqual(ids(10, 12));
  expect(await verified()).toMatchObject({ valid: true, purged_through: { id: 9 } });
});

test('after a purge, the checkpoint of the last purged entry can be verified, but no earlier checkpoint', async () => {
  await attacker.restore('fresh');
  const before = (await annsApi()('GET /v1/audit/checkpoint', {})).checkpoint;
  await wrap();
  const exactly = (await annsApi()('GET /v1/audit/checkpoint', {})).checkpoint;
  world.time = at('2027-01-01T00:00:00Z');
  await purge(world.replica(), 1, never);
  const purged = await annsApi()('GET /v1/audit/verify', { checkpoint: before });
  expect(purged).toMatchObject({ valid: false, errors: [{ id: 12, reason: 'checkpoint_purged' }] });
  expect(purged.checkpoint).toMatchObject({ id: 12, valid: false });
  const held = await annsApi()('GET /v1/audit/verify', { checkpoint: exactly });
  expect(held).toMatchObject({ valid: true, checkpoint: { id: 13, valid: true } });
});

describe('nothing is purged from a broken chain', () => {
  async function tryToPurge() {
    const before = await left();
    const said = await purge(world.replica(), 1, never).catch((error: Error) => error.message);
    const anchors = await attacker.sql`select from eaas.audit_anchors`;
    const { valid } = await verified();
    return { said, gone: before.length - (await left()).length, anchors: anchors.count, valid };
  }
  const refused = { said: '1 of 1 failed', gone: 0, anchors: 0, valid: false };

  const later = '2027-01-01T00:00:00Z';
  test.each([
    ['an entry was changed', later, `update eaas.audit_entries set actor = 'operator' where id = 5`],
    [
      'changed times would make it delete other entries',
      '2026-02-10T13:00:00Z',
      'update eaas.audit_entries set created_at = 0 where id in (1, 6, 7)',
    ],
    ['the row of a key was removed', later, `delete from eaas.keys where key_id = '${key_id}'`],
  ])('a purge deletes nothing if %s', async (_, time, attack) => {
    world.time = at(time);
    await attacker.sql.unsafe(attack);
    expect(await tryToPurge()).toEqual(refused);
  });

  test('a purge deletes nothing if the record of the last purge was changed', async () => {
    world.time = at('2026-03-05T12:00:00Z');
    await purge(world.replica(), 1, never);
    await attacker.sql`update eaas.audit_anchors set hash = sha256(hash)`;
    world.time = at('2027-01-01T00:00:00Z');
    await expect(purge(world.replica(), 1, never)).rejects.toThrow('1 of 1 failed');
    expect(await left()).toEqual(ids(7, 12));
  });

  test('verification detects that the record of the last purge was replaced by an older one', async () => {
    world.time = at('2026-03-05T12:00:00Z');
    await purge(world.replica(), 1, never);
    await attacker.keep('first_purge');
    world.time = at('2026-03-08T12:00:00Z');
    await purge(world.replica(), 1, never);
    await attacker.putBack('first_purge', 'audit_anchors', 'true');
    const { valid, errors } = await verified();
    expect(valid).toBe(false);
    expect(errors).toContainEqual({ id: 7, reason: 'entry_missing' });
  });

  test('a broken chain of one tenant does not stop the purge of others', async () => {
    await attacker.sql`update eaas.audit_entries set actor = 'operator' where id = 5`;
    world.time = at('2026-03-20T00:00:00Z');
    const ben = await settle(world.replica(), 'ben');
    world.time = at('2027-01-01T00:00:00Z');
    await expect(purge(world.replica(), 1, never)).rejects.toThrow('1 of 2 failed');
    expect(await verifyLog(world.replica(), ben.tenantId)).toMatchObject({
      valid: true,
      purged_through: { id: 1 },
    });
  });
});

test.each([
  ['a purge', () => purge(world.replica(), 1, never), 1],
  ['the destruction of the tenant', () => destroyTenant(owner, ann.tenantId), 0],
])('%s waits for who appends to the log', async (_, remove, late) => {
  world.time = at('2027-01-01T00:00:00Z');
  const waits = `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  // On Citus, a worker waits.
  const everywhere = (await hasCitus(owner))
    ? `select sum(result::int) as n from run_command_on_all_nodes($$${waits}$$)`
    : `select (${waits}) as n`;
  const waiting = async () => Number((await attacker.sql.unsafe<{ n: string }[]>(everywhere))[0]?.n);
  const counted = () => attacker.sql`select from eaas.tallies where action = 'late'`;
  const removed = await holder.begin(async (tx) => {
    await tx`select from eaas.audit_heads where tenant_id = ${ann.tenantId} for update`;
    const work = remove();
    await expect.poll(waiting).toBeGreaterThan(0);
    expect(await left()).toEqual(ids(1, 12));
    await tx`insert into eaas.tallies select tenant_id, tenant_id, 0, 'late', '', 1, 0, 0, 0 from eaas.audit_heads`;
    return { work };
  });
  await removed.work;
  expect(await left()).toEqual([]);
  expect(await counted()).toHaveLength(late);
});
