import { alone } from '@eaas/test-kit/alone';
import { expect, test } from 'vitest';
import { type Api, apiOf, dek, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { foldTallies } from './fold-tallies.ts';
import { purge } from './purge.ts';

const world = await testWorld('2026-09-30T00:00:00Z');
const attacker = await openAttacker(world);
const ann = await settle(world.replica(), 'ann');
const api: Api = (route, input) => apiOf(world.replica(), ann.token)(route, input);
const { key_id } = await api('POST /v1/keys', { name: 'key' });
const others: string[] = [];
for (let nth = 0; nth < 12; nth++) others.push((await api('POST /v1/keys', { name: `other ${nth}` })).key_id);

async function use(): Promise<void> {
  const { wrapped_key } = await api('POST /v1/keys/:key_id/wrap', { key_id, dek });
  await api('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key });
  for (const other of others) await api('POST /v1/keys/:key_id/wrap', { key_id: other, dek });
  const context = { not: 'its own' };
  expect(await statusOf(api('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key, context }))).toBe(403);
}

async function counts() {
  const months = ['2026-09', '2026-10', '2026-11'];
  const total = async (query: object) => (await api('GET /v1/audit', query)).total;
  return {
    usage: await Promise.all(months.map(async (month) => (await api('GET /v1/usage', { month })).operations)),
    keys: await Promise.all(
      [key_id, ...others].map(async (one) => (await api('GET /v1/keys/:key_id', { key_id: one })).versions),
    ),
    totals: [
      await total({ key_id }),
      await total({ key_id: others[0] }),
      await total({ action: 'key.wrap' }),
      await total({ action: 'key.unwrap' }),
      await total({ action: 'key.create' }),
      await total({ key_id, action: 'key.unwrap' }),
    ],
  };
}

const rows = async () => (await attacker.sql`select from eaas.tallies`).length;

test('no count changes when closed months are folded after a purge, and few rows are left', async () => {
  for (let month = 0; month < 3; month++) {
    await use();
    if (month === 1) await api('POST /v1/keys/:key_id/rotate', { key_id });
    world.time = Date.UTC(2026, 9 + month, 30);
  }
  world.time = Date.UTC(2026, 10, 30, 1);
  await use();
  await purge(world.replica(), 1, alone());
  const [before, all] = [await counts(), await rows()];
  await foldTallies(world.replica(), alone());
  expect(await counts()).toEqual(before);
  const folded = await rows();
  expect(folded).toBeLessThan(all);
  await foldTallies(world.replica(), alone());
  expect(await rows()).toBe(folded);
});
