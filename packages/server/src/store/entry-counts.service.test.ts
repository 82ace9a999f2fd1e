import { randomUUID } from 'node:crypto';
import type { Input } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { alone } from '@eaas/test-kit/alone';
import { apiOf, settle, testWorld } from '@eaas/test-kit/world';
import { openAttacker } from '@eaas/test-kit/attacker';
import { insider } from '../state/caller.ts';
import { countUsage } from '../jobs/housekeeping.ts';
import { purge } from '../jobs/purge.ts';
import { decide } from '../state/decide.ts';

const keys = [randomUUID(), randomUUID(), randomUUID()];
const day = 24 * 60 * 60 * 1_000;

const world = await testWorld('2026-03-01T00:00:00Z');
const attacker = await openAttacker(world);
const service = world.replica();
const ann = await settle(service, 'ann');
const api = apiOf(service, ann.token);
const start = world.time;

async function append(appends: number): Promise<void> {
  for (let nth = 0; nth < appends; nth++) {
    if (nth % 3 !== 0) world.time += 60_000;
    const drafts = Array.from({ length: 200 }, (_, at) => ({
      action: at % 4 === 0 ? ('key.unwrap' as const) : ('key.wrap' as const),
      keyId: keys[at % 10 === 0 ? 1 : at % 50 === 1 ? 2 : 0] ?? null,
      keyVersion: 1,
      metadata: '{}',
    }));
    await decide(world.replica(), insider(ann.tenantId, 'system'), () => ({ drafts, answer: undefined }));
  }
}

const sums = async (): Promise<number> =>
  (await attacker.sql`select from eaas.entry_counts where tenant_id = ${ann.tenantId}`).count;

async function wrongTotals(): Promise<string[]> {
  const wrong: string[] = [];
  const iso = (time: number) => new Date(time).toISOString();
  const between = (part: number) => iso(start + Math.floor(((world.time - start) * part) / 60_000) * 60_000);
  const dates = [
    {},
    { date_from: between(0.3) },
    { date_to: between(0.6) },
    { date_from: between(0.31), date_to: between(0.92) },
    { date_from: between(0.5), date_to: between(0.51) },
    { date_from: between(0.9), date_to: between(0.1) },
  ];
  const actions = [{}, { action: 'key.wrap' }, { action: 'key.unwrap' }, { action: 'key.export' }] as const;
  for (const date of dates) {
    for (const key of [{}, ...keys.map((key_id) => ({ key_id })), { key_id: randomUUID() }]) {
      for (const action of actions) {
        const filter: Input<'GET /v1/audit'> = {
          ...date,
          ...key,
          ...action,
        };
        const { total } = await api('GET /v1/audit', { ...filter, limit: 1 });
        const expected = await attacker.sql`
          select from eaas.audit_entries where tenant_id = ${ann.tenantId}
            and (${filter.key_id ?? null}::uuid is null or key_id = ${filter.key_id ?? null})
            and (${filter.action ?? null}::text is null or action = ${filter.action ?? null})
            and created_at >= ${Date.parse(date.date_from ?? '2000-01-01')}
            and created_at <= ${Date.parse(date.date_to ?? '2100-01-01')}`;
        if (total !== expected.count) wrong.push(`${JSON.stringify(filter)}: ${total} not ${expected.count}`);
      }
    }
  }
  return wrong;
}

async function wrongPages(): Promise<string[]> {
  const wrong: string[] = [];
  const middle = start + (world.time - start) / 2;
  const dates = [{}, { date_to: middle }, { date_from: middle }];
  for (const date of dates) {
    for (const key of [undefined, ...keys]) {
      for (const action of [undefined, 'key.wrap', 'key.unwrap', 'key.export'] as const) {
        const expected = await attacker.sql<{ id: number }[]>`
          select id::int from eaas.audit_entries where tenant_id = ${ann.tenantId}
            and (${key ?? null}::uuid is null or key_id = ${key ?? null})
            and (${action ?? null}::text is null or action = ${action ?? null})
            and created_at between ${date.date_from ?? 0} and ${date.date_to ?? world.time} order by id desc`;
        for (let offset = 1_990; offset < expected.length + 100; offset += 1_371) {
          const { logs } = await api('GET /v1/audit', {
            limit: 20,
            offset,
            ...(key !== undefined && { key_id: key }),
            ...(action !== undefined && { action }),
            ...(date.date_from !== undefined && { date_from: new Date(date.date_from).toISOString() }),
            ...(date.date_to !== undefined && { date_to: new Date(date.date_to).toISOString() }),
          });
          const ids = expected.slice(offset, offset + 20).map(({ id }) => id);
          if (String(logs.map(({ id }) => id)) !== String(ids))
            wrong.push(`${key} ${action} ${JSON.stringify(date)} ${offset}`);
        }
      }
    }
  }
  return wrong;
}

test('the totals of filtered lists are exact before and after the job stores counts of entries', async () => {
  await append(20);
  expect(await wrongTotals()).toEqual([]);
  expect(await sums()).toBe(0);
  await countUsage(world.replica(), alone());
  const first = await sums();
  expect(first).toBeGreaterThan(3);
  expect(await wrongTotals()).toEqual([]);
  await append(60);
  expect(await wrongTotals()).toEqual([]);
  await countUsage(world.replica(), alone());
  expect(await sums()).toBeGreaterThan(first + 10);
  expect(await wrongTotals()).toEqual([]);
  expect(await wrongPages()).toEqual([]);
});

test('totals are exact if many entries have the same time', async () => {
  for (let nth = 0; nth < 30; nth++) {
    await append(1);
  }
  world.time += 60_000;
  await append(2);
  await countUsage(world.replica(), alone());
  expect(await wrongTotals()).toEqual([]);
});

test('totals are exact after a purge has deleted the stored counts of purged entries', async () => {
  world.time += 40 * day;
  await append(10);
  await countUsage(world.replica(), alone());
  const before = await sums();
  await purge(world.replica(), 1, alone());
  expect(await sums()).toBeLessThan(before);
  expect(await wrongTotals()).toEqual([]);
  await append(30);
  await countUsage(world.replica(), alone());
  expect(await wrongTotals()).toEqual([]);
  expect(await wrongPages()).toEqual([]);
});
