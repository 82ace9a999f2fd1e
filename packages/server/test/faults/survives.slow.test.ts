import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { newToken } from '../../src/state/tokens.ts';
import { reportDuration } from './report.ts';
import { type Answer, type Place, send } from '@eaas/test-kit/faults/client';
import { Load, longest, type Sent, succeeded, tally, unrecorded } from '@eaas/test-kit/faults/load';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import {
  connectTo,
  type Entry,
  newKey,
  operate,
  readLog,
  startReplica,
  type Tenant,
  verify,
} from '@eaas/test-kit/faults/place';

interface Outage {
  readonly how: 'crash' | 'all' | 'backends';
  readonly isLong: boolean;
  readonly from: number;
  readonly until: number;
}

/** All requests that use the database time out within 5.2 s. */
const long = 5_200;

const outages: Outage[] = [];
const ends: string[] = [];
const strangers: { how: Outage['how']; answer: Answer }[] = [];
const tenants: { tenant: Tenant; load: Load; sent: readonly Sent[]; log: Entry[] }[] = [];
const placeOf = (nth: number): Place => replicas[nth] ?? { port: 0 };
const everything = (): Sent[] => tenants.flatMap(({ sent }) => sent);

const postgres = await closing(OwnPostgres.start(), (it) => it.drop());
const operator = await closing(operate(postgres.url), (it) => it.close());
const replicas = await Promise.all([startReplica(operator.env), startReplica(operator.env)]);
afterAll(async () => {
  for (const replica of replicas) await replica.kill();
});
const places = replicas.map(({ port }) => ({ port }));
beforeAll(async () => {
  for (const changes of [false, true]) {
    const tenant = await operator.newTenant();
    const keyId = await newKey(placeOf(0), tenant.token);
    const load = new Load({ places, token: tenant.token, keyId, workers: 3, rest: 20, changes });
    tenants.push({ tenant, load, sent: [], log: [] });
  }
  await sleep(500);
  await restart(0);
  await away('crash', 0);
  await restart(1);
  await away('crash', 500);
  await restart(0);
  await away('crash', long);
  await away('all', long);
  await away('backends', long);
  const isEnough = ({ load }: { readonly load: Load }): boolean => load.sent.filter(succeeded).length > 200;
  while (!tenants.every(isEnough)) await sleep(50);
  for (const one of tenants) {
    one.sent = await one.load.stop();
    one.log = await readLog(placeOf(1), one.tenant);
  }
});

async function restart(nth: number): Promise<void> {
  const replica = replicas[nth];
  if (!replica) throw new Error('no such replica');
  ends.push(...unexpectedEnds());
  await replica.kill();
  replicas[nth] = await startReplica({ ...operator.env, EAAS_PORT: String(replica.port) });
  await sleep(300);
}

const unexpectedEnds = (): string[] =>
  replicas.flatMap((replica) =>
    replica.end() ? [`${JSON.stringify(replica.end())}\n${replica.log()}`] : [],
  );

async function away(how: Outage['how'], milliseconds: number): Promise<void> {
  await (how === 'crash' ? postgres.crash() : postgres.freeze(how));
  const from = performance.now();
  const isLong = milliseconds === long;
  if (isLong) {
    const ask = ({ port }: Place) => send({ port }, newToken().token, 'GET', '/v1/keys');
    for (const answer of await Promise.all(replicas.map(ask))) strangers.push({ how, answer });
  }
  await sleep(from + milliseconds - performance.now());
  const present = { how, isLong, from, until: Infinity };
  while (refusesAll(present) && !tenants.every(({ load }) => during(present, load.sent).length > 0)) {
    await sleep(20);
  }
  if (how === 'crash') await postgres.start();
  else postgres.thaw();
  const outage = { ...present, until: performance.now() };
  outages.push(outage);
  while (performance.now() < outage.until + 60_000 && outageEnds(outage).includes(Infinity)) await sleep(50);
  await sleep(500);
}

function outageEnds({ until }: Outage): number[] {
  return tenants.flatMap(({ load }) =>
    replicas.map(({ port }) =>
      load.sent
        .filter((sent) => sent.place.port === port && succeeded(sent) && sent.answeredAt > until)
        .reduce((first, { answeredAt }) => Math.min(first, answeredAt - until), Infinity),
    ),
  );
}

/**
 * Returns the responses that arrived during an outage. If a request was sent before the outage and succeeded, its
 * response is left out: the server may have answered before the outage.
 */
const during = ({ from, until }: Outage, sent: readonly Sent[]): Sent[] =>
  sent.filter(
    (one) => one.answeredAt > from + 300 && one.answeredAt < until && (one.sentAt > from || !succeeded(one)),
  );

/**
 * Returns whether every call must fail in the outage. If only the processes of open connections are frozen, calls on
 * new connections succeed.
 */
const refusesAll = ({ how, isLong }: Outage): boolean => how !== 'backends' && isLong;

test('during database outages, no server exits unless the test kills it', () => {
  expect([...ends, ...unexpectedEnds()]).toEqual([]);
});

test('the log has the entry of every successful request', () => {
  for (const { sent, log } of tenants) {
    expect(unrecorded(sent, log)).toEqual([]);
  }
});

test('after the outages, the ids of the entries have no gap', () => {
  for (const { log } of tenants) expect(log.findIndex(({ id }, index) => id !== index + 1)).toBe(-1);
});

test('after the outages, the audit chain is valid', async () => {
  for (const { tenant, log } of tenants) {
    expect(await verify(placeOf(0), tenant)).toMatchObject({
      valid: true,
      complete: true,
      checked: log.length,
    });
  }
});

test('during the outages, every response is a success, audit_unwritten or unavailable', () => {
  const allowed = new Set(['200', '201', '500 audit_unwritten', '503 unavailable']);
  const answered = everything().filter(({ status }) => status !== 0);
  expect(Object.keys(tally(answered)).filter((kind) => !allowed.has(kind))).toEqual([]);
});

test('no request hangs', () => {
  expect(everything().filter(({ code }) => code === 'hangs')).toEqual([]);
  reportDuration('the longest request', longest(everything()));
});

test('while the database is down, audited calls are refused and return no data', () => {
  expect(outages.filter(refusesAll)).toHaveLength(2);
  for (const outage of outages.filter(refusesAll)) {
    const meanwhile = during(outage, everything());
    expect(meanwhile.length).toBeGreaterThan(0);
    expect(Object.keys(tally(meanwhile))).toEqual(expect.not.arrayContaining(['200', '201']));
    expect(meanwhile.flatMap(({ body }) => Object.keys(body))).not.toContain('wrapped_key');
  }
});

test('a request returns 500 audit_unwritten if its audit entry waits for a database that hangs', () => {
  const hang = outages.find(({ how }) => how === 'all');
  const [steady] = tenants;
  expect(Object.keys(tally(hang && steady ? during(hang, steady.sent) : []))).toEqual([
    '500 audit_unwritten',
  ]);
});

test('while the database is down, an API key that is not cached gets 503', () => {
  const away = strangers.filter(({ how }) => how !== 'backends').map(({ answer }) => answer);
  expect(tally(away)).toEqual({ '503 unavailable': 4 });
  reportDuration(
    'the longest request with an unknown API key',
    longest(strangers.map(({ answer }) => answer)),
  );
});

test('both replicas respond again after the database is back', () => {
  expect(outages.length).toBe(5);
  for (const outage of outages) {
    const ends = outageEnds(outage);
    expect(ends).not.toContain(Infinity);
    reportDuration(`until both replicas respond after the outage "${outage.how}"`, Math.max(...ends));
  }
});

test('after the outages, the database has no more connections than the pools allow', async () => {
  const sql = connectTo(postgres);
  const count = async () =>
    (
      await sql`select from pg_stat_activity where usename = 'eaas_server' and backend_type = 'client backend'`
    ).count;
  await expect.poll(count).toBeLessThanOrEqual(60);
  await sql.end();
});

test('a replica that survived all outages still stops on SIGTERM', async () => {
  for (const replica of replicas) replica.signal('SIGTERM');
  expect(await Promise.all(replicas.map(({ ended }) => ended))).toEqual([
    { code: 0, signal: null },
    { code: 0, signal: null },
  ]);
});
