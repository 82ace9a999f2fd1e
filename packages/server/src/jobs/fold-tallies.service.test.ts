import { alone } from '@eaas/test-kit/alone';
import { openAttacker } from '@eaas/test-kit/attacker';
import { apiOf, dek, settle, statusOf, testWorld } from '@eaas/test-kit/world';
import { monthOf } from '@eaas/service';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { noId } from '../postgres/tables.ts';
import { foldTallies } from './fold-tallies.ts';
import { purge } from './purge.ts';

const world = await testWorld('2026-09-30T00:00:00Z');
const attacker = await openAttacker(world);
const day = 24 * 60 * 60 * 1_000;
let tenants = 0;

/** A tenant with two keys, what can happen to it, and what was done in each month. */
async function open() {
  const { token, tenantId } = await settle(world.replica(), `tenant ${++tenants}`);
  const api = apiOf(world.replica(), token);
  const done: string[] = [];
  const wrap = (key_id: string) => {
    done.push(`${monthOf(world.time)} key.wrap ${key_id}`);
    return api('POST /v1/keys/:key_id/wrap', { key_id, dek });
  };
  const keys = [await api('POST /v1/keys', { name: 'one' }), await api('POST /v1/keys', { name: 'two' })];
  const ids = keys.map(({ key_id }) => key_id);
  const wrapped = [await wrap(ids[0] ?? ''), await wrap(ids[1] ?? '')];
  const unwrap = (nth: number, more = {}) =>
    api('POST /v1/keys/:key_id/unwrap', { key_id: '', wrapped_key: '', ...wrapped[nth], ...more });
  const steps: Record<string, (nth: number) => unknown> = {
    wrap: (nth) => wrap(ids[nth] ?? ''),
    unwrap: (nth) => {
      done.push(`${monthOf(world.time)} key.unwrap ${ids[nth]}`);
      return unwrap(nth);
    },
    'a refused unwrap': async (nth) =>
      expect(await statusOf(unwrap(nth, { context: { not: 'its own' } }))).toBe(403),
    'a rotation': (nth) => api('POST /v1/keys/:key_id/rotate', { key_id: ids[nth] ?? '' }),
    'ten days': () => {
      world.time += 10 * day;
    },
    'forty days': () => {
      world.time += 40 * day;
    },
    'a purge': () => purge(world.replica(), 1, alone()),
    'a fold': () => foldTallies(world.replica(), alone()),
  };
  return { tenantId, api, ids, done, steps };
}

const names = Object.keys((await open()).steps);
const anyStep = fc.tuple(fc.constantFrom(...names), fc.nat(1));

test('whatever is purged and folded when, totals are those of the entries, and uses those of the calls', async () => {
  const property = fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 25 }), async (chosen) => {
    const { tenantId, api, ids, done, steps } = await open();
    for (const [name, nth] of chosen) await steps[name]?.(nth);
    const log = await attacker.sql<{ action: string; key_id: string | null }[]>`
      select action, key_id from eaas.audit_entries where tenant_id = ${tenantId}`;
    for (const key_id of [undefined, ...ids]) {
      for (const action of [undefined, 'key.wrap', 'key.unwrap', 'key.rotate', 'key.create'] as const) {
        const found = log.filter(
          (entry) => (!key_id || entry.key_id === key_id) && (!action || entry.action === action),
        );
        const { total } = await api('GET /v1/audit', { key_id, action });
        expect({ key_id, action, total }).toEqual({ key_id, action, total: found.length });
      }
    }
    expect(await api('GET /v1/audit/verify', {})).toMatchObject({ valid: true, rows_checked: true });
    const countOf = (start: string, end = '') =>
      done.filter((each) => each.startsWith(start) && each.endsWith(end)).length;
    for (const month of new Set(done.map((each) => each.slice(0, 7)))) {
      const { operations } = await api('GET /v1/usage', { month });
      const expected = {
        'key.wrap': countOf(`${month} key.wrap`),
        'key.unwrap': countOf(`${month} key.unwrap`),
      };
      expect({ month, ...operations }).toMatchObject({ month, ...expected });
    }
    for (const key_id of ids) {
      const { versions } = await api('GET /v1/keys/:key_id', { key_id });
      const uses = versions.reduce((sum, { wraps, unwraps }) => sum + wraps + unwraps, 0);
      expect(uses).toBe(countOf('', key_id));
    }
    world.time += 40 * day;
    await foldTallies(world.replica(), alone());
    const ofClosedMonths = await attacker.sql`
      select from eaas.tallies where tenant_id = ${tenantId} and month <> '' and key_id <> ${noId}`;
    expect(ofClosedMonths).toHaveLength(0);
  });
  await fc.assert(property, { seed: 1, numRuns: 12 });
});
