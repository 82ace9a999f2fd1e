import { beforeEach, expect, test } from 'vitest';
import { alone } from '@eaas/test-kit/alone';
import { migrated, testDatabase } from '@eaas/test-kit/database';
import { apiOf, dek, settle, statusOf, testWorld, type World } from '@eaas/test-kit/world';
import { rootKey } from '../crypto/key-hierarchy.ts';
import { settleDueKeys } from '../jobs/housekeeping.ts';
import { purge } from '../jobs/purge.ts';
import { createService } from '../app/service.ts';
import { Database } from '../store/database.ts';
import { DatabaseClock } from './clock.ts';

const day = 24 * 60 * 60 * 1_000;
const year = 366 * day;
const date = (time: number) => new Date(time).toISOString();

class JumpingClock extends DatabaseClock {
  jump = 0;
  override now(): number {
    return super.now() + this.jump;
  }
  override learn(time: number, startedAt: number): void {
    super.learn(time, startedAt);
    this.jump = 0;
  }
}

test.each([year, -year, 5_000, -60_000])(
  'after a clock jump of %i ms, requests still succeed, and their audit entries have the right time',
  async (jump) => {
    const place = await testDatabase(migrated);
    const database = new Database(place.connection('server'), 4);
    const clock = new JumpingClock();
    const service = createService({ database, roots: [rootKey(new Uint8Array(32))], clock });
    const ann = await settle(service, 'ann');
    const api = apiOf(service, ann.token);
    const { key_id } = await api('POST /v1/keys', { name: 'key' });
    const issue = (days: number) =>
      api('POST /v1/api-keys', {
        name: 'expires',
        permissions: ['encrypt', 'keys.read'],
        expires_at: date(Date.now() + days * day),
      });
    const expiring = apiOf(service, (await issue(30)).api_key);
    const calls = [
      () => expiring('POST /v1/keys/:key_id/wrap', { key_id, dek }),
      () => expiring('POST /v1/hash', { key_id, value: 'x' }),
      () => expiring('GET /v1/keys/:key_id', { key_id }),
      () => issue(1),
      () => api('POST /v1/keys/:key_id/rotate', { key_id }),
    ];
    for (const call of calls) {
      clock.jump = jump;
      expect(await statusOf(call())).toBe(200);
    }
    const { logs } = await api('GET /v1/audit', {});
    for (const { created_at } of logs) {
      expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(30_000);
    }
    await database.close();
  },
);

let world: World;
beforeEach(async () => {
  world = await testWorld('2026-11-20T10:00:00Z');
});

test('an entry with a time in the future does not change expiry, rotation or quota', async () => {
  const now = world.time;
  world.time = now + year;
  const service = world.replica();
  const ann = await settle(service, 'ann', { monthly_encrypt_quota: 2 });
  const api = apiOf(service, ann.token);
  const { key_id } = await api('POST /v1/keys', { name: 'key' });
  const { key_id: doomed } = await api('POST /v1/keys', { name: 'doomed' });
  await api('POST /v1/encrypt', { key_id, plaintext: 'x' });

  world.time = now;
  const { api_key } = await api('POST /v1/api-keys', {
    name: 'a month',
    permissions: ['encrypt'],
    expires_at: date(now + 30 * day),
  });
  const monthly = apiOf(service, api_key);
  const wrap = () => statusOf(monthly('POST /v1/keys/:key_id/wrap', { key_id, dek }));
  const hash = () => statusOf(monthly('POST /v1/hash', { key_id, value: 'x' }));
  const encrypt = () => statusOf(api('POST /v1/encrypt', { key_id, plaintext: 'x' }));
  expect([await wrap(), await hash()]).toEqual([200, 200]);
  expect([await encrypt(), await encrypt(), await encrypt()]).toEqual([200, 200, 429]);
  await api('POST /v1/keys/:key_id/disable', { key_id: doomed });
  const destroyed = await api('DELETE /v1/keys/:key_id', { key_id: doomed, grace_days: 30 });
  expect(destroyed.destroy_at).toBe(date(now + 30 * day));
  const { logs } = await api('GET /v1/audit', {});
  expect(logs[0]?.created_at).toBe(date(now + year));

  world.time = now + 30 * day;
  expect([await wrap(), await hash()]).toEqual([401, 401]);
  const { errors } = await api('GET /v1/audit/verify', {});
  expect(new Set(errors.map(({ reason }) => reason))).toEqual(new Set(['entry_in_future']));
});

test('no key is erased while the clocks of machine and database disagree', async () => {
  let wrong = 0;
  const clock = { now: () => world.time, learn: () => {}, wallClockError: () => wrong };
  const service = { ...world.replica(), clock };
  const ann = await settle(service, 'ann');
  const api = apiOf(service, ann.token);
  const { key_id } = await api('POST /v1/keys', { name: 'key', rotation_policy: { interval_days: 30 } });
  const { key_id: doomed } = await api('POST /v1/keys', { name: 'doomed' });
  await api('POST /v1/keys/:key_id/disable', { key_id: doomed });
  await api('DELETE /v1/keys/:key_id', { key_id: doomed, grace_days: 1 });
  world.time += 31 * day;
  const states = async () => {
    const [rotated, erased] = await Promise.all(
      [key_id, doomed].map((one) => api('GET /v1/keys/:key_id', { key_id: one })),
    );
    return [rotated?.key_version, erased?.status];
  };
  for (const error of [61_000, -61_000]) {
    wrong = error;
    await expect(settleDueKeys(service, alone())).rejects.toThrow('1 of');
    await expect(purge(service, 1, alone())).rejects.toThrow('nothing is erased');
  }
  expect(await states()).toEqual([2, 'pending_destruction']);
  wrong = 60_000;
  await settleDueKeys(service, alone());
  expect(await states()).toEqual([2, 'destroyed']);
});
