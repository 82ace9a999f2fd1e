import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { createDatabase } from '@eaas/test-kit/database';
import { type Answer, call, send } from '@eaas/test-kit/faults/client';
import { newDek, tally } from '@eaas/test-kit/faults/load';
import { newKey, operate, readLog, startReplica, verify } from '@eaas/test-kit/faults/place';

interface Person {
  readonly subject: string;
  readonly wrapped_key: string;
  erasedAt: number;
  id: string;
}

const database = await closing(createDatabase(), (it) => it.drop());
const operator = await closing(operate(database.url), (it) => it.close());
const tenant = await operator.newTenant();
const replicas = await Promise.all([startReplica(operator.env), startReplica(operator.env)]);
afterAll(async () => {
  for (const replica of replicas) await replica.kill();
});
const placeOf = (nth: number) => ({ port: replicas[nth % 2]?.port ?? 0 });
const keyId = await newKey(placeOf(0), tenant.token);
const inFlight = 500;

async function newPeople(count: number): Promise<Person[]> {
  const subjects = Array.from({ length: count }, (_, nth) => `person ${nth}`);
  const items = subjects.map((subject) => ({ key_id: keyId, dek: newDek(), subject }));
  const { results } = await call<{ results: { wrapped_key: string }[] }>(
    placeOf(0),
    tenant.token,
    'POST',
    '/v1/batch/wrap',
    { items },
  );
  return subjects.map((subject, nth) => ({
    subject,
    wrapped_key: results[nth]?.wrapped_key ?? '',
    erasedAt: Infinity,
    id: '',
  }));
}

const people = await newPeople(40);
const unwraps: { readonly person: Person; readonly answer: Answer }[] = [];
const over = new AbortController();

async function unwrapAgain(nth: number): Promise<void> {
  for (let round = nth; !over.signal.aborted; round++) {
    const person = people[round % people.length] as Person;
    const { subject, wrapped_key } = person;
    const body = { subject, wrapped_key };
    const answer = await send(placeOf(nth), tenant.token, 'POST', `/v1/keys/${keyId}/unwrap`, body);
    unwraps.push({ person, answer });
    if (answer.status === 0) await sleep(50);
  }
}

/** Asks either replica until one acknowledges the erasure. */
async function erase(person: Person, nth: number): Promise<void> {
  for (let attempt = nth; ; attempt++) {
    const { subject } = person;
    const { status, body, answeredAt } = await send(
      placeOf(attempt),
      tenant.token,
      'POST',
      '/v1/subjects/erase',
      { subject },
    );
    if (status !== 200) {
      await sleep(50);
      continue;
    }
    person.erasedAt = answeredAt;
    person.id = String(body['subject_id']);
    return;
  }
}

test('no replica unwraps for a person after the erasure, with 1,000 unwraps in flight and replicas killed', async () => {
  const loads = Array.from({ length: 2 * inFlight }, (_, nth) => unwrapAgain(nth));
  await sleep(2_000);
  const erasures = (async () => {
    for (const [nth, person] of people.entries()) {
      if (nth % 5 === 4) continue; // some stay, so that unwraps still succeed at the end
      await erase(person, nth);
      await sleep(Math.random() * 200);
    }
  })();
  for (let kill = 0; kill < 3; kill++) {
    await sleep(1_000 + Math.random() * 1_000);
    const replica = replicas[kill % 2];
    await replica?.kill();
    replicas[kill % 2] = await startReplica({ ...operator.env, EAAS_PORT: String(replica?.port) });
  }
  await erasures;
  await sleep(1_000);
  over.abort();
  await Promise.all(loads);

  const answers = unwraps.map(({ answer }) => answer);
  const kinds = Object.keys(tally(answers));
  const broken = [
    '0 ECONNREFUSED',
    '0 ECONNRESET',
    '0 EPIPE',
    '0 broken',
    '503 unavailable',
    '500 audit_unwritten',
  ];
  expect(kinds.filter((kind) => !['200', '409 subject_erased', ...broken].includes(kind))).toEqual([]);
  const after = unwraps.filter(({ person, answer }) => answer.sentAt > person.erasedAt);
  expect(tally(after.map(({ answer }) => answer))['409 subject_erased']).toBeGreaterThan(100);
  expect(after.filter(({ answer }) => answer.status === 200)).toEqual([]);

  // An unwrap that was sent before may be answered after. Its entry then is before the one of the erasure.
  const log = await readLog(placeOf(0), tenant);
  const erased = people.filter(({ id }) => id !== '');
  for (const person of erased) {
    const ofPerson = log.filter(({ metadata }) => {
      const { subject } = metadata as { subject?: string };
      return subject?.startsWith(person.id.slice(0, 32)) === true;
    });
    const end = ofPerson.findIndex(({ action }) => action === 'subject.erase');
    const opened = ofPerson.filter(
      ({ action, metadata }) => action === 'key.unwrap' && metadata.outcome === undefined,
    );
    expect(ofPerson.filter(({ action }) => action === 'subject.erase')).toHaveLength(1);
    expect(opened.filter((entry) => ofPerson.indexOf(entry) > end)).toEqual([]);
    const answered = unwraps.filter((one) => one.person === person && one.answer.status === 200);
    expect(answered.length).toBeLessThanOrEqual(opened.length);
  }
  expect(await verify(placeOf(0), tenant)).toMatchObject({ valid: true, complete: true });
}, 240_000);
