import { alone } from '@eaas/test-kit/alone';
import { expect, test } from 'vitest';
import { prune } from '../src/proofs.ts';
import { act, begunLog } from './own-log.ts';

const hour = 3_600_000;
const day = 24 * hour;

async function kept() {
  const { log, ann, bob } = await begunLog(); // 2026-09-01T00:00:00Z
  const indexes = async (of: { readonly tenantId: string }) => {
    const rows =
      await log.sql`select index::int from eaas.log_proofs where tenant_id = ${of.tenantId} order by id`;
    return rows.map((row): unknown => row['index']);
  };
  const moments = async () => {
    const rows = await log.sql`select index::int from eaas.log_moments order by index`;
    return rows.map((row): unknown => row['index']);
  };
  return { log, ann, bob, indexes, moments, prune: () => prune(log.service, alone()) };
}

test('every proof of a day is kept, then the last of each day in UTC', async () => {
  const { log, ann, bob, indexes, prune } = await kept();
  for (let hours = 0; hours < 30; hours += 6) {
    await act(log.service, ann);
    await log.later(6 * hour); // 06:00, 12:00, 18:00, and the next day 00:00 and 06:00
  }
  await prune();
  expect(await indexes(ann)).toEqual([1, 2, 3, 4, 5]);
  expect(await indexes(bob)).toEqual([0]);
  log.world.time += 18 * hour;
  await prune();
  expect(await indexes(ann)).toEqual([3, 4, 5]);
  log.world.time += 5 * day;
  await prune();
  expect(await indexes(ann)).toEqual([3, 5]);
  await log.witnessed();
  expect(await log.verify(await log.prove(ann, 1))).toMatchObject({ index: 3, size: 6 });
});

test('after 400 days, a proof is dropped', async () => {
  const { log, ann, bob, indexes, prune } = await kept();
  log.world.time += 400 * day;
  await prune();
  expect(await indexes(bob)).toEqual([0]);
  log.world.time += 1;
  await act(log.service, ann);
  await log.later(0);
  await prune();
  expect(await indexes(bob)).toEqual([]);
  expect(await indexes(ann)).toEqual([1]);
});

test('a moment is kept as long as a proof needs it or the next one that the witnesses signed', async () => {
  const { log, ann, moments, prune } = await kept();
  for (let more = 0; more < 6; more++) {
    await act(log.service, ann);
    await log.later(hour);
    if (more === 3 || more === 4) await log.witnessed();
  }
  // 0 has the proof of bob, 6 that of ann, and 4 is the first that was signed after 0. 5 is the newest that was signed.
  log.world.time += 2 * day;
  await prune();
  expect(await moments()).toEqual([0, 4, 5, 6]);
  await log.later();
  expect(await log.newest()).toMatchObject({ index: 6 });
});

test('what was left of a tenant that was destroyed during a moment is dropped', async () => {
  const { log, bob, indexes, prune } = await kept();
  const tenantId = '00000000-0000-4000-8000-000000000001';
  await log.sql`insert into eaas.log_proofs select ${tenantId}, id, hash, mac, origin, index, time, path from eaas.log_proofs
    where tenant_id = ${bob.tenantId}`;
  await prune();
  expect(await indexes({ tenantId })).toEqual([]);
  expect(await indexes(bob)).toEqual([0]);
});
