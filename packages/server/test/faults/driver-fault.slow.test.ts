import { expect, onTestFailed, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { eaasImporting, moduleOf } from '@eaas/test-kit/program';
import { createDatabase } from '@eaas/test-kit/database';
import { send } from '@eaas/test-kit/faults/client';
import { newDek, tally } from '@eaas/test-kit/faults/load';
import { cuttingProxy } from './cutting-proxy.ts';
import {
  connectTo,
  newKey,
  operate,
  type Replica,
  someoneWaits,
  startReplica,
  verify,
} from '@eaas/test-kit/faults/place';

// After a broken connection, postgres.js can throw an error in a timer, where no caller can catch the error.

const database = await createDatabase();
const operator = await closing(operate(database.url), (it) => it.close());
const proxy = await closing(cuttingProxy(database), (it) => it.close());
const sql = await closing(connectTo(database), (it) => it.end());
const tenant = await operator.newTenant();

const survived = ({ log }: Replica): number => log().split('the database connection broke').length - 1;

async function start(command?: readonly string[]): Promise<Replica> {
  const env = { ...operator.env, EAAS_DATABASE_URL: proxy.url('server') };
  const replica = await closing(startReplica(env, command), (it) => it.kill());
  onTestFailed(() => void process.stderr.write(replica.log()));
  return replica;
}

async function cutWhileVerifying(replica: Replica): Promise<string> {
  const { status, code } = await sql.begin(async (tx) => {
    await tx`lock table eaas.key_versions in access exclusive mode`;
    const verifying = send(replica, tenant.token, 'GET', '/v1/audit/verify');
    await someoneWaits(sql);
    proxy.cut();
    return verifying;
  });
  return `${status} ${code}`;
}

test('a replica survives a connection that ends without a message during a transaction', async () => {
  const replica = await start();
  const keyId = await newKey(replica, tenant.token);
  let cuts = 0;
  // A job of the server can wait for the table too, so the test cuts again until the driver has thrown three times.
  while (survived(replica) < 3) {
    expect(++cuts).toBeLessThanOrEqual(30);
    expect(await cutWhileVerifying(replica)).toBe('503 unavailable');
    const wrap = () => send(replica, tenant.token, 'POST', `/v1/keys/${keyId}/wrap`, { dek: newDek() });
    expect(tally(await Promise.all(Array.from({ length: 30 }, wrap)))).toEqual({ '200': 30 });
  }
  expect(replica.end()).toBeUndefined();
  expect(await verify(replica, tenant)).toMatchObject({ valid: true });
});

// Throws errors that do not come from the database driver when the process gets SIGUSR2.
const foreign = (throws: string) => moduleOf(`process.on("SIGUSR2", () => ${throws})`);
const withCode = (code: string) => `Object.assign(new Error("oops"), { code: "${code}" })`;

test.each([
  ['an error of the program', 'setImmediate(() => { const nobody = null; nobody.write(); })'],
  ['a full disk', `setTimeout(() => { throw ${withCode('ENOSPC')} })`],
  ['a rejection that nobody handles', `Promise.reject(${withCode('EMFILE')})`],
])('a replica exits with 70 after %s that is not the database driver’s', async (_, throws) => {
  const replica = await start(eaasImporting(foreign(throws)));
  replica.signal('SIGUSR2');
  expect(await replica.ended).toEqual({ code: 70, signal: null });
  expect(survived(replica)).toBe(0);
  expect(replica.log()).toContain('an unexpected error');
});
