import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newApiKey } from '../../packages/server/src/crypto/api-key-token.ts';
import { type Answer, type Place, send } from './client.ts';
import { Load, longest, type Sent, succeeded, tally, unrecorded } from './load.ts';
import { OwnPostgres } from './own-postgres.ts';
import {
  connectTo,
  type Entry,
  newKey,
  operate,
  type Operator,
  readLog,
  type Tenant,
  verify,
} from './place.ts';
import { kill, type Replica, startReplica } from './replica.ts';

/** A time during which the database was away, on the clock of performance.now(). */
interface Outage {
  readonly how: 'crash' | 'all' | 'backends';
  readonly from: number;
  readonly until: number;
}

/** So many milliseconds, and those who wait for the database have given up. */
const long = 5_200;

let postgres: OwnPostgres;
let operator: Operator;
const replicas: Replica[] = [];
const outages: Outage[] = [];
const ends: string[] = [];
/** What an API key that no replica has seen was answered while the database was away. */
const strangers: { how: Outage['how']; answer: Answer }[] = [];
/** One tenant whose keys nobody changes, and one where keys are created all the time. */
const tenants: { tenant: Tenant; load: Load; sent: readonly Sent[]; log: Entry[] }[] = [];
const everything = (): Sent[] => tenants.flatMap(({ sent }) => sent);

beforeAll(async () => {
  postgres = await OwnPostgres.start();
  operator = await operate(postgres.url);
  replicas.push(...(await Promise.all([startReplica(operator.env), startReplica(operator.env)])));
  const places = replicas.map(({ port }) => ({ port }));
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
  for (const one of tenants) {
    one.sent = await one.load.stop();
    one.log = await readLog(placeOf(1), one.tenant);
  }
}, 150_000);

afterAll(async () => {
  for (const replica of replicas) await kill(replica);
  await operator.close();
  await postgres.drop();
}, 60_000);

const placeOf = (nth: number): Place => replicas[nth] ?? { port: 0 };

/** Kills a replica and starts another in its place. */
async function restart(nth: number): Promise<void> {
  const replica = replicas[nth];
  if (!replica) throw new Error('no such replica');
  ends.push(...unexpectedEnds());
  await kill(replica);
  replicas[nth] = await startReplica({ ...operator.env, EAAS_PORT: String(replica.port) });
  await sleep(300);
}

const unexpectedEnds = (): string[] =>
  replicas.flatMap((replica) =>
    replica.end() ? [`${JSON.stringify(replica.end())}\n${replica.log()}`] : [],
  );

/** Takes the database away for so many milliseconds, and waits until both replicas have answered again. */
async function away(how: Outage['how'], milliseconds: number): Promise<void> {
  await (how === 'crash' ? postgres.crash() : postgres.freeze(how));
  const from = performance.now();
  if (milliseconds === long) {
    const ask = ({ port }: Place) => send({ port }, newApiKey().token, 'GET', '/v1/keys');
    for (const answer of await Promise.all(replicas.map(ask))) strangers.push({ how, answer });
  }
  await sleep(from + milliseconds - performance.now());
  if (how === 'crash') await postgres.start();
  else postgres.thaw();
  const until = performance.now();
  outages.push({ how, from, until });
  while (performance.now() < until + 15_000 && outageEnds({ how, from, until }).includes(Infinity))
    await sleep(50);
  await sleep(500);
}

/** After how many milliseconds each replica answered each tenant with success again. */
function outageEnds({ until }: Outage): number[] {
  return tenants.flatMap(({ load }) =>
    replicas.map(({ port }) =>
      load.sent
        .filter((sent) => sent.place.port === port && succeeded(sent) && sent.answeredAt > until)
        .reduce((first, { answeredAt }) => Math.min(first, answeredAt - until), Infinity),
    ),
  );
}

/** What was answered while the database was away, but for what was on its way when it went. */
const during = ({ from, until }: Outage, sent: readonly Sent[]): Sent[] =>
  sent.filter(({ answeredAt }) => answeredAt > from + 300 && answeredAt < until);

test('no process died that was not killed', () => {
  expect([...ends, ...unexpectedEnds()]).toEqual([]);
});

test('whatever was answered with success is in the log', () => {
  for (const { sent, log } of tenants) {
    expect(sent.filter(succeeded).length).toBeGreaterThan(200);
    expect(unrecorded(sent, log)).toEqual([]);
  }
});

test('the ids of the entries have no gap', () => {
  for (const { log } of tenants) expect(log.findIndex(({ id }, index) => id !== index + 1)).toBe(-1);
});

test('the chain is valid', async () => {
  for (const { tenant, log } of tenants) {
    expect(await verify(placeOf(0), tenant)).toMatchObject({
      valid: true,
      complete: true,
      checked: log.length,
    });
  }
});

test('every answer is a success, or says that the entry or the database was not to be had', () => {
  const allowed = new Set(['200', '201', '500 audit_unwritten', '503 unavailable']);
  const answered = everything().filter(({ status }) => status !== 0);
  expect(Object.keys(tally(answered)).filter((kind) => !allowed.has(kind))).toEqual([]);
});

test('nobody waits longer than 6 seconds', () => {
  expect(longest(everything())).toBeLessThan(6_000);
});

test('while the database is away, what needs an entry is refused and gives nothing', () => {
  // Where only the processes that serve connections hang, new ones may do their work.
  for (const outage of outages.filter(({ how, from, until }) => how !== 'backends' && until - from >= long)) {
    const meanwhile = during(outage, everything());
    expect(meanwhile.length).toBeGreaterThan(0);
    expect(Object.keys(tally(meanwhile))).toEqual(expect.not.arrayContaining(['200', '201']));
    expect(meanwhile.flatMap(({ body }) => Object.keys(body))).not.toContain('wrapped_key');
  }
});

test('a request whose entry waits for a database that hangs is answered 500 audit_unwritten', () => {
  const hang = outages.find(({ how }) => how === 'all');
  const [steady] = tenants;
  expect(Object.keys(tally(hang && steady ? during(hang, steady.sent) : []))).toEqual([
    '500 audit_unwritten',
  ]);
});

test('while the database is away, an API key that the replica does not know is answered 503', () => {
  const away = strangers.filter(({ how }) => how !== 'backends').map(({ answer }) => answer);
  expect(tally(away)).toEqual({ '503 unavailable': 4 });
  expect(longest(strangers.map(({ answer }) => answer))).toBeLessThan(6_000);
});

test('both replicas answer again within 5 seconds after the database is back', () => {
  expect(outages.length).toBe(5);
  const slow = outages.filter((outage) => Math.max(...outageEnds(outage)) > 5_000);
  expect(slow.map((outage) => [outage.how, outageEnds(outage)])).toEqual([]);
});

test('no connection is left behind: there are not more than the pools of two replicas and the operator hold', async () => {
  const sql = connectTo(postgres);
  const count = async () =>
    (
      await sql`select from pg_stat_activity where usename = 'eaas_server' and backend_type = 'client backend'`
    ).count;
  for (let attempt = 0; attempt < 100 && (await count()) > 60; attempt++) await sleep(100);
  expect(await count()).toBeLessThanOrEqual(60);
  await sql.end();
});

test('a replica that lived through all of it still ends when it is told to', async () => {
  for (const replica of replicas) replica.signal('SIGTERM');
  expect(await Promise.all(replicas.map(({ ended }) => ended))).toEqual([
    { code: 0, signal: null },
    { code: 0, signal: null },
  ]);
});
