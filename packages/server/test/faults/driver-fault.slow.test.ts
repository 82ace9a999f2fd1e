import { expect, onTestFailed, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { eaasImporting, moduleOf } from '@eaas/test-kit/program';
import { createDatabase } from '@eaas/test-kit/database';
import { type Answer, send } from '@eaas/test-kit/faults/client';
import { newDek, tally } from '@eaas/test-kit/faults/load';
import { lossyProxy } from './lossy-proxy.ts';
import {
  connectTo,
  newKey,
  operate,
  readLog,
  type Replica,
  someoneWaits,
  startReplica,
  verify,
  whileWritesWait,
} from '@eaas/test-kit/faults/place';

// After a broken connection, postgres.js can throw an error in a timer, where no caller can catch the error.

const database = await createDatabase();
const operator = await closing(operate(database.url), (it) => it.close());
const proxy = await closing(lossyProxy(database), (it) => it.close());
const sql = await closing(connectTo(database), (it) => it.end());
const tenant = await operator.newTenant();

const survived = ({ log }: Replica): number => log().split('the database connection broke').length - 1;

async function start(command?: readonly string[]): Promise<Replica> {
  const env = { ...operator.env, EAAS_DATABASE_URL: proxy.url('server') };
  const replica = await closing(startReplica(env, command), (it) => it.kill());
  onTestFailed(() => void process.stderr.write(replica.log()));
  return replica;
}

async function cutWhileDisabling(replica: Replica, keyId: string): Promise<string> {
  return whileWritesWait(sql, 'keys', async () => {
    const changing = send(replica, tenant.token, 'POST', `/v1/keys/${keyId}/disable`);
    proxy.cut(await someoneWaits(sql));
    const { status, code } = await changing;
    return `${status} ${code}`;
  });
}

async function cutWhileVerifying(replica: Replica): Promise<string> {
  const { status, code } = await sql.begin(async (tx) => {
    await tx`lock table eaas.keys in access exclusive mode`;
    const verifying = send(replica, tenant.token, 'GET', '/v1/audit/verify');
    proxy.cut(await someoneWaits(sql));
    return verifying;
  });
  return `${status} ${code}`;
}

async function disabledIn(replica: Replica, keyId: string) {
  const log = await readLog(replica, tenant);
  return log.filter(({ action, key_id }) => action === 'key.disable' && key_id === keyId);
}

async function many(replica: Replica, keyId: string): Promise<readonly Answer[]> {
  const path = `/v1/keys/${keyId}`;
  return Promise.all(
    Array.from({ length: 30 }, (_, nth) =>
      nth % 2
        ? send(replica, tenant.token, 'GET', path)
        : send(replica, tenant.token, 'POST', `${path}/wrap`, { dek: newDek() }),
    ),
  );
}

test('a replica survives a connection that ends without a message during a transaction', async () => {
  const replica = await start();
  const keyId = await newKey(replica, tenant.token);
  let cuts = 0;
  // A job of the server can wait for the table too, so the test cuts again until the driver has thrown three times.
  while (survived(replica) < 3) {
    expect(++cuts).toBeLessThanOrEqual(30);
    expect(await cutWhileVerifying(replica)).toBe('503 unavailable');
    expect(tally(await many(replica, keyId))).toEqual({ '200': 30 });
  }
  expect(replica.end()).toBeUndefined();
  expect(await verify(replica, tenant)).toMatchObject({ valid: true });
});

test('a change whose connection ends without a message is not applied after its answer', async () => {
  const replica = await start();
  const keyId = await newKey(replica, tenant.token);
  for (let times = 1; times <= 3; times++) {
    expect(await cutWhileDisabling(replica, keyId)).toBe('500 audit_unwritten');
    const answers = await many(replica, keyId);
    expect(tally(answers)).toEqual({ '200': 30 });
  }
  expect(await disabledIn(replica, keyId)).toEqual([]);
});

// Throws an uncaught error that does not come from the database driver when the process gets SIGUSR2.
const foreign = moduleOf(
  'process.on("SIGUSR2", () => setImmediate(() => { const nobody = null; nobody.write(); }))',
);

test('a replica exits with 70 after an uncaught error that does not come from the database driver', async () => {
  const replica = await start(eaasImporting(foreign));
  replica.signal('SIGUSR2');
  expect(await replica.ended).toEqual({ code: 70, signal: null });
  expect(survived(replica)).toBe(0);
  expect(replica.log()).toContain('an unexpected error');
});
