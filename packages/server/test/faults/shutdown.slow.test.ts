import { beforeEach, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import type { End } from '@eaas/test-kit/program';
import { type Answer, send } from '@eaas/test-kit/faults/client';
import { Load, newDek, succeeded, tally, unrecorded } from '@eaas/test-kit/faults/load';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import {
  connectTo,
  newKey,
  operate,
  readLog,
  type Replica,
  startReplica,
  type Tenant,
  verify,
} from '@eaas/test-kit/faults/place';

let tenant: Tenant;
let replica: Replica;
let keyId: string;

const postgres = await closing(OwnPostgres.start(), (it) => it.drop());
const operator = await closing(operate(postgres.url), (it) => it.close());

beforeEach(async () => {
  replica = await newReplica();
  tenant = await operator.newTenant();
  keyId = await newKey(replica, tenant.token);
});

async function terminate(): Promise<End> {
  replica.signal('SIGTERM');
  return replica.ended;
}

const newReplica = (): Promise<Replica> => closing(startReplica(operator.env), (it) => it.kill());

async function waitingWraps(count: number): Promise<Promise<Answer>[]> {
  const sent = Array.from({ length: count }, wrap);
  const waiting = async (): Promise<string | undefined> => {
    const metrics = await fetch(`http://127.0.0.1:${replica.port}/metrics`);
    return /^eaas_audit_waiting_entries (\d+)/m.exec(await metrics.text())?.[1];
  };
  await expect.poll(waiting, { interval: 20 }).toBe(String(count));
  return sent;
}

const wrap = (): Promise<Answer> =>
  send(replica, tenant.token, 'POST', `/v1/keys/${keyId}/wrap`, { dek: newDek() });

test('if a replica stops under load, the log has an entry for every success', async () => {
  const load = new Load({ places: [replica], token: tenant.token, keyId, workers: 16, changes: true });
  await expect.poll(() => load.sent.filter(succeeded).length).toBeGreaterThan(1_000);
  const toldAt = performance.now();
  const { code } = await terminate();
  const sent = await load.stop();
  expect(code).toBe(0);
  const late = sent.filter(({ answeredAt }) => answeredAt > toldAt);
  const refused = late.filter((answer) => !succeeded(answer) && answer.status !== 0);
  expect(new Set(Object.keys(tally(refused)))).toEqual(
    new Set(refused.length > 0 ? ['503 unavailable'] : []),
  );
  const other = await newReplica();
  expect(unrecorded(sent, await readLog(other, tenant))).toEqual([]);
  expect(await verify(other, tenant)).toMatchObject({ valid: true });
});

test('a replica can stop while its database hangs', async () => {
  expect((await wrap()).status).toBe(200);
  await postgres.freeze('all');
  const running = await waitingWraps(10);
  const { code } = await terminate();
  postgres.thaw();
  expect(tally(await Promise.all(running))).toEqual({ '500 audit_unwritten': 10 });
  expect(code).toBe(0);
});

test('a replica that stops stores the last uses of API keys', async () => {
  await terminate();
  const sql = connectTo(postgres);
  const uses = await sql`select from eaas.api_key_uses where api_key_id = ${tenant.apiKeyId}`;
  await sql.end();
  expect(uses).toHaveLength(1);
});
