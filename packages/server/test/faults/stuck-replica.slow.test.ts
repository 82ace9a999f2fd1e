import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { type Answer, send } from '@eaas/test-kit/faults/client';
import { newDek, succeeded, tally } from '@eaas/test-kit/faults/load';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { newKey, readLog, someoneWaits, startPair, verify } from '@eaas/test-kit/faults/place';

const postgres = await OwnPostgres.start();

const pair = await closing(startPair(postgres), (it) => it.end());

type Observed = Awaited<ReturnType<typeof observe>>;

async function observe() {
  const tenant = await pair.operator.newTenant();
  const keyId = await newKey(pair.replicas[0], tenant.token);
  await send(pair.replicas[1], tenant.token, 'GET', `/v1/keys/${keyId}`);
  return { tenant, keyId, wraps: [] as Answer[], others: [] as Answer[] };
}

async function keepBusy({ tenant, keyId, wraps, others }: Observed, over: () => boolean): Promise<void> {
  const [, working] = pair.replicas;
  const path = `/v1/keys/${keyId}`;
  while (!over()) {
    const [wrap, ...more] = await Promise.all([
      send(working, tenant.token, 'POST', `${path}/wrap`, { dek: newDek() }),
      send(working, tenant.token, 'GET', path),
      send(working, tenant.token, 'PUT', `${path}/rotation-policy`, {
        interval_days: 1 + (wraps.length % 365),
      }),
    ]);
    wraps.push(wrap);
    others.push(...more);
    await sleep(20);
  }
}

/** Freezes the first replica when it has asked for the lock of the log, which it then gets. */
async function freezeWithin({ tenant, keyId }: Observed, path: string, body: object) {
  const [sick] = pair.replicas;
  // A replica locks the log for a second after another one has written.
  for (const replica of pair.replicas.toReversed()) {
    expect((await send(replica, tenant.token, 'POST', `/v1/keys/${keyId}/rotate`)).status).toBe(200);
  }
  let changing: Promise<Answer> | undefined;
  await pair.sql.begin(async (tx) => {
    await tx`select from eaas.audit_heads where tenant_id = ${tenant.tenantId} for update`;
    changing = send(sick, tenant.token, 'POST', path.replace(':key_id', keyId), body);
    await someoneWaits(pair.sql);
    sick.signal('SIGSTOP');
  });
  return { changing };
}

// The driver sends a statement that its connection has not yet prepared in two messages. The second moment needs PostgreSQL
// 17: older versions cannot limit how long a connection waits for the next message of a statement.
const rotation = { path: '/v1/keys/:key_id/rotate', body: {}, action: 'key.rotate', earlier: 2 };
const creation = { path: '/v1/keys', body: { name: 'late' }, action: 'key.create', earlier: 1 };
const moments: [string, typeof rotation][] = [['between two statements', rotation]];
if (Number.parseInt(postgres.binaries.version, 10) >= 17) {
  moments.push(['between the messages of a statement', creation]);
}

describe.each(moments)('a replica freezes in the middle of a change, %s', (_, { path, body, ...change }) => {
  let [blocked, neighbour]: (Observed | undefined)[] = [];
  let stuck: Answer | undefined;
  let waited = Infinity;

  beforeAll(async () => {
    const [sick] = pair.replicas;
    const [mine, theirs] = [await observe(), await observe()];
    const { changing } = await freezeWithin(mine, path, body);
    const stuckAt = performance.now();
    const over = (): boolean => mine.wraps.some(succeeded) || performance.now() - stuckAt > 120_000;
    await Promise.all([keepBusy(mine, over), ...Array.from({ length: 4 }, () => keepBusy(theirs, over))]);
    sick.signal('SIGCONT');
    stuck = await changing;
    waited = (mine.wraps.find(succeeded)?.answeredAt ?? Infinity) - stuckAt;
    [blocked, neighbour] = [mine, theirs];
  });

  test('a replica that freezes during a change blocks the changed tenant only for a limited time', () => {
    expect(waited).toBeLessThan(Infinity);
    const answers = [...(blocked?.wraps ?? []), ...(blocked?.others ?? [])];
    expect(answers.filter(({ code }) => code === 'hangs')).toEqual([]);
  });

  test('while a replica is frozen during a change of one tenant, all requests of another tenant succeed', () => {
    const answers = [...(neighbour?.wraps ?? []), ...(neighbour?.others ?? [])];
    expect(tally(answers)).toEqual({ '200': answers.length });
  });

  test('a replica that was frozen applies its change if it can still answer, and else never', async () => {
    if (!stuck || !blocked) throw new Error('the frozen replica must answer');
    const isDone = succeeded(stuck);
    expect(['200 ', '201 ', '500 audit_unwritten']).toContain(`${stuck.status} ${stuck.code}`);
    const log = await readLog(pair.replicas[1], blocked.tenant);
    const done = log.filter(({ action }) => action === change.action);
    expect(done).toHaveLength(change.earlier + (isDone ? 1 : 0));
    for (const replica of pair.replicas) {
      const wrapping = `/v1/keys/${blocked.keyId}/wrap`;
      const { status } = await send(replica, blocked.tenant.token, 'POST', wrapping, { dek: newDek() });
      expect(status).toBe(200);
      expect(await verify(replica, blocked.tenant)).toMatchObject({ valid: true, complete: true });
    }
  });
});
