import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase } from '@eaas/test-kit/database';
import { type Answer, call, send } from '@eaas/test-kit/faults/client';
import { newDek, tally } from '@eaas/test-kit/faults/load';
import { newKey, operate, startReplica, verify } from '@eaas/test-kit/faults/place';

interface Wrapped {
  readonly subject: string;
  readonly dek: string;
  readonly wrapped_key: string;
}

const database = await closing(createDatabase(), (it) => it.drop());
const operator = await closing(operate(database.url), (it) => it.close());
const tenant = await operator.newTenant();
const replicas = await Promise.all([startReplica(operator.env), startReplica(operator.env)]);
afterAll(async () => {
  for (const replica of replicas) await replica.kill();
});

const placeOf = (nth: number) => ({ port: replicas[nth]?.port ?? 0 });
const keyId = await newKey(placeOf(0), tenant.token);

const acknowledged: Wrapped[] = [];
const answers: Answer[] = [];
const erased = new Set<string>();
const over = new AbortController();

/** Both replicas wrap for the same new subjects, so that each is created by one of them at a random moment. */
async function work(nth: number, worker: number): Promise<void> {
  for (let round = 0; !over.signal.aborted; round++) {
    const items = Array.from({ length: 20 }, (_, at) => ({
      key_id: keyId,
      dek: newDek(),
      subject: `${worker} ${round} ${(at + nth) % 20}`,
    }));
    const answer = await send(placeOf(nth), tenant.token, 'POST', '/v1/batch/wrap', { items });
    answers.push(answer);
    const results = (answer.body['results'] ?? []) as { wrapped_key?: string }[];
    for (const [at, { wrapped_key }] of results.entries()) {
      const item = items[at];
      if (item && wrapped_key !== undefined) acknowledged.push({ ...item, wrapped_key });
    }
    if (answer.status === 0) await sleep(20);
  }
}

/** Asks either replica until one acknowledges the erasure of somebody for whom a wrap was answered. */
async function eraseSomebody(): Promise<void> {
  const subject = acknowledged.at(-1)?.subject ?? '';
  for (let nth = 0; ; nth++) {
    const { status } = await send(placeOf(nth % 2), tenant.token, 'POST', '/v1/subjects/erase', { subject });
    if (status === 200) return void erased.add(subject);
    await sleep(20);
  }
}

test('no first wrap or erasure that was answered is lost while replicas are killed, and each wrap has its subject', async () => {
  const workers = [0, 1].flatMap((nth) => [0, 1, 2].map((worker) => work(nth, worker)));
  for (let kill = 0; kill < 6; kill++) {
    await sleep(200 + Math.random() * 400);
    const [nth, replica] = [kill % 2, replicas[kill % 2]];
    await Promise.all([replica?.kill(), acknowledged.length > 0 && eraseSomebody()]);
    replicas[nth] = await startReplica({ ...operator.env, EAAS_PORT: String(replica?.port) });
  }
  over.abort();
  await Promise.all(workers);
  const { '200': succeeded = 0, ...others } = tally(answers);
  expect(succeeded).toBeGreaterThan(20);
  const broken = new Set(['0 ECONNREFUSED', '0 ECONNRESET', '0 EPIPE', '0 broken']);
  expect(Object.keys(others).filter((kind) => !broken.has(kind))).toEqual([]);
  const failed = answers.flatMap(({ body }) => (body['results'] ?? []) as { error?: { code: string } }[]);
  const codes = new Set(failed.flatMap(({ error }) => (error ? [error.code] : [])));
  expect([...codes].filter((code) => code !== 'subject_erased')).toEqual([]);
  expect(erased.size).toBeGreaterThan(3);
  for (const nth of [0, 1]) {
    for (let from = 0; from < acknowledged.length; from += 500) {
      const some = acknowledged.slice(from, from + 500);
      const items = some.map(({ subject, wrapped_key }) => ({ key_id: keyId, subject, wrapped_key }));
      const { results } = await call<{ results: { dek?: string }[] }>(
        placeOf(nth),
        tenant.token,
        'POST',
        '/v1/batch/unwrap',
        { items },
      );
      const expected = some.map(({ subject, dek }) => (erased.has(subject) ? undefined : dek));
      expect(results.map(({ dek }) => dek)).toEqual(expected);
    }
  }
  expect(await verify(placeOf(0), tenant)).toMatchObject({ valid: true, complete: true });
});
