import { beforeEach, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase } from '@eaas/test-kit/database';
import { send } from '@eaas/test-kit/faults/client';
import { newDek } from '@eaas/test-kit/faults/load';
import { lossyProxy } from './lossy-proxy.ts';
import { newKey, operate, readLog, startReplica, type Tenant, verify } from '@eaas/test-kit/faults/place';

// If a connection breaks during a commit, the server asks under the lock of the log whether the database committed.

let tenant: Tenant;
let path: string;

const database = await createDatabase();
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

test('if the response to an append is lost, the entry is written once', async () => {
  const numbers = Array.from({ length: 5 }, (_, round) => `number ${round}`);
  for (const n of numbers) {
    expect((await wrap('before')).status).toBe(200);
    proxy.loseFrom(n);
    expect((await wrap(n)).status).toBe(200);
  }
  expect(proxy.losses()).toBe(numbers.length);
  const recorded = (await readLog(replica, tenant)).map(({ metadata }) => metadata.context?.['n'] ?? '');
  expect(recorded.filter((n) => numbers.includes(n)).toSorted()).toEqual(numbers);
  expect(await verify(replica, tenant)).toMatchObject({ valid: true, complete: true });
});

test('a change whose answer is lost is applied once', async () => {
  const rounds = 5;
  for (let round = 1; round <= rounds; round++) {
    expect((await wrap('before')).status).toBe(200);
    proxy.loseFrom('key.rotate');
    const { status, body } = await send(replica, tenant.token, 'POST', `${path}/rotate`);
    expect([status, body['key_version']]).toEqual([200, 1 + round]);
  }
  const rotations = (await readLog(replica, tenant)).filter(({ action }) => action === 'key.rotate');
  expect(rotations).toHaveLength(rounds);
  expect(await verify(replica, tenant)).toMatchObject({ valid: true, complete: true });
});
