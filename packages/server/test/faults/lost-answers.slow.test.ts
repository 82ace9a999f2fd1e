import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { testDatabase } from '@eaas/test-kit/database';
import { call, send } from '@eaas/test-kit/faults/client';
import { newDek, succeeded } from '@eaas/test-kit/faults/load';
import { lossyProxy } from './lossy-proxy.ts';
import { newKey, operate, readLog, startReplica, type Tenant, verify } from '@eaas/test-kit/faults/place';

// If a connection breaks during a commit, the server cannot know whether the database committed.

let tenant: Tenant;
let path: string;

const database = await testDatabase();
const operator = await closing(operate(database.url), (it) => it.close());
const proxy = await closing(lossyProxy(database), (it) => it.close());
const replica = await closing(
  startReplica({ ...operator.env, EAAS_DATABASE_URL: proxy.url('server') }),
  (it) => it.kill(),
);

beforeEach(async () => {
  tenant = await operator.newTenant();
  path = `/v1/keys/${await newKey(replica, tenant.token)}`;
});

const wrap = (n: string) =>
  send(replica, tenant.token, 'POST', `${path}/wrap`, { dek: newDek(), context: { n } });

test('if the response to an append is lost, the server appends the entry again', async () => {
  const numbers = Array.from({ length: 5 }, (_, round) => `number ${round}`);
  for (const n of numbers) {
    expect((await wrap('before')).status).toBe(200);
    proxy.loseFrom(n);
    expect((await wrap(n)).status).toBe(200);
  }
  expect(proxy.losses()).toBe(numbers.length);
  const recorded = (await readLog(replica, tenant)).map(({ metadata }) => metadata.context?.['n'] ?? '');
  expect(recorded).toEqual(expect.arrayContaining(numbers));
  expect(recorded.filter((n) => numbers.includes(n)).length).toBeGreaterThan(numbers.length);
  expect(await verify(replica, tenant)).toMatchObject({ valid: true, complete: true });
});

test.each([
  ['before its commit', 'loseFrom', false],
  ['with its commit', 'loseAfter', true],
] as const)(
  'a change whose connection is lost %s is applied completely or not at all',
  async (_, lose, takesPlace) => {
    for (let round = 0; round < 5; round++) {
      expect((await wrap('before')).status).toBe(200);
      proxy[lose]('key.rotate');
      const { status, code, body } = await send(replica, tenant.token, 'POST', `${path}/rotate`);
      expect([status, code]).toEqual([500, 'audit_unwritten']);
      expect(body).not.toHaveProperty('key_version');
    }
    const { key_version } = await call(replica, tenant.token, 'GET', path);
    const rotations = (await readLog(replica, tenant)).filter(({ action }) => action === 'key.rotate');
    expect(key_version).toBe(1 + rotations.length);
    expect(rotations.length > 0).toBe(takesPlace);
    expect(await verify(replica, tenant)).toMatchObject({ valid: true, complete: true });
  },
);

test('a change that timed out is not applied afterwards', async () => {
  expect((await wrap('before')).status).toBe(200);
  // The rotation first locks the head of the audit log and then reads the key. This delay makes the rotation time out
  // while it reads the key.
  proxy.delayFrom(path.slice(9), 4_500);
  const { status, code, body } = await send(replica, tenant.token, 'POST', `${path}/rotate`);
  expect([status, code]).toEqual([500, 'audit_unwritten']);
  expect(body['detail']).toContain('Nothing was changed');
  await sleep(1_500);
  expect(await call(replica, tenant.token, 'GET', path)).toMatchObject({ key_version: 1 });
  expect((await readLog(replica, tenant)).filter(({ action }) => action === 'key.rotate')).toEqual([]);
});

test('every pool of a replica replaces connections that stop responding', async () => {
  const requests = {
    wrap: () => wrap('any'),
    hash: () => send(replica, tenant.token, 'POST', '/v1/hash', { value: 'x', key_id: path.slice(9) }),
    change: () => send(replica, tenant.token, 'PUT', `${path}/rotation-policy`, { interval_days: 7 }),
    list: () => send(replica, tenant.token, 'GET', '/v1/audit?limit=5'),
    usage: () => send(replica, tenant.token, 'GET', '/v1/usage'),
  };
  const all = () => Promise.all(Object.values(requests).map((request) => request()));
  // The proxy can lose only what open connections send. 100 concurrent requests make each connection pool open all its
  // connections.
  await Promise.all(Array.from({ length: 20 }, all));
  proxy.forsake();
  const end = performance.now() + 120_000;
  let answers = await all();
  while (!answers.every(succeeded) && performance.now() < end) answers = await all();
  expect(Object.keys(requests).filter((_, nth) => answers[nth]?.status !== 200)).toEqual([]);
});
