import { setTimeout as sleep } from 'node:timers/promises';
import { parsePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { median } from '@eaas/test-kit/statistics';
import { call, type Place, send } from '@eaas/test-kit/faults/client';
import { newKey, type Tenant } from '@eaas/test-kit/faults/place';
import { newDek, tally } from '@eaas/test-kit/faults/load';
import { withoutStandby } from '../../machine/cluster.ts';
import { type ProbedServer, startProbed } from '../../machine/server.ts';
import { type Findings, type Part, scaled, type Trial } from '../../trial.ts';
import { largestItems, largeWorld, type World } from '../hostile/world.ts';
import { type Flood, type FloodName, floods, type FloodTarget, largePlaintext } from './floods.ts';
import { type KeyHost, startKeyHost } from './key-host.ts';
import { type RunningFlood, startFlood } from './run-flood.ts';
import { type Measurement, SecondTenant } from './second-tenant.ts';

const runs = scaled(3);
const requests = scaled(2_000);
const mostP99Milliseconds = 50;
const mostTimes = 3;
const mostReadinessMilliseconds = 200;
const mostVerifySeconds = 5;
const mostMebibytes = 400;
/** Most of these are in the buffers of the connection when the server ends it. */
const mostSentMebibytes = 12;

interface Setting {
  readonly own: ProbedServer;
  readonly other: Place;
  readonly second: SecondTenant;
  /** The tenant whose sign-in the strangers name, by its API key and by a user's token. */
  readonly named: readonly [SecondTenant, SecondTenant];
  readonly target: (place: Place) => FloodTarget;
}

async function setUp(findings: Findings, world: World, host?: KeyHost): Promise<Setting> {
  const env = { ...world.operator.env, ...(host && { EAAS_ISSUER_HOSTS: host.address }) };
  const own = await startProbed(findings, env);
  const other = await startProbed(findings, env);
  const second = await SecondTenant.settle(world.operator, own);
  const named = await SecondTenant.settle(world.operator, own);
  const { by: signIn, user } = await named.user(own, host?.once);
  const published = host ? [signIn.issuerId] : [];
  for (const uri of host?.uris ?? []) published.push(await named.issuer(own, { jwks_uri: uri }));
  const { tenant, plain: keyId, versioned } = world;
  const path = `/v1/keys/${keyId}/wrap`;
  const { wrapped_key } = await call(own, tenant.token, 'POST', path, { dek: newDek() });
  const items = largestItems(keyId, 'quotes');
  const { keyId: intakeKeyId, wrappedKey } = await wrapForIntake(
    parsePublicKey(world.intakePublicKey),
    new Uint8Array(32),
  );
  const plain = { key_id: keyId, plaintext: largePlaintext };
  const bundle = await call(own, tenant.token, 'POST', '/v1/encrypt', plain);
  const intake = { keyId: intakeKeyId, wrapped: Buffer.from(wrappedKey).toString('base64') };
  const wrapped = String(wrapped_key);
  const known = { intake, token: tenant.token, keyId, versioned, items, bundle, wrapped, signIn, published };
  return { own, other, second, named: [named, user], target: ({ port }) => ({ ...known, port }) };
}

async function measureBeside(
  findings: Findings,
  setting: Setting,
  name: FloodName,
  flooded: Place,
): Promise<readonly Measurement[]> {
  const flood = await startFlood(name, setting.target(flooded));
  await setting.second.measure(setting.own, scaled(200));
  const all = [setting.second, ...('namesTenant' in floods[name] ? setting.named : [])];
  const measured = await Promise.all(all.map((one) => one.measure(setting.own, requests, all.length)));
  findings.answer(await flood.stop());
  await sleep(500);
  return measured;
}

function floodTrial(name: FloodName, { about, served, isOfStrangers }: Flood): Trial {
  return {
    name,
    about: `${isOfStrangers ? 'strangers send' : 'one tenant sends'} ${about}`,
    limit: 400,
    async run(findings) {
      const host = name === 'key-host' ? await startKeyHost(findings) : undefined;
      const setting = await setUp(findings, await largeWorld(), host);
      const beside: (readonly Measurement[])[] = [];
      const under: (readonly Measurement[])[] = [];
      for (let run = 0; run < runs; run++) {
        beside.push(await measureBeside(findings, setting, name, setting.other));
        const measured = await measureBeside(findings, setting, name, setting.own);
        under.push(measured);
        findings.try('measurement', 2);
        for (const [nth, { who, by }] of parties.entries()) {
          const refused = measured[nth]?.refused ?? [];
          if (nth < measured.length)
            findings.check(`${who} is never refused${by}`, refused.length === 0, tally(refused));
        }
      }
      if (served !== undefined) {
        const count = findings.answered.get(String(served)) ?? 0;
        findings.check(
          isOfStrangers ? 'the strangers get responses' : 'some requests of the flooding tenant succeed',
          count > 0,
          Object.fromEntries(findings.answered),
        );
      }
      if (host) judgeFetches(findings, host);
      for (const [nth, party] of parties.entries()) {
        const of = (all: readonly (readonly Measurement[])[]) => all.flatMap((one) => one[nth] ?? []);
        if (of(under).length === 0) continue;
        judge(findings, party, of(beside), of(under));
        if (isOfStrangers) judgeStrangers(findings, party, of(beside), of(under));
      }
      const memory = Math.round(await setting.own.peakMemory());
      findings.figure('most memory', `${memory} MiB`);
      findings.check(
        `the server uses less than ${mostMebibytes} MiB of memory`,
        memory < mostMebibytes,
        `${memory} MiB`,
      );
      findings.check(
        'no server process ends unexpectedly',
        setting.own.end() === undefined,
        setting.own.log().slice(-300),
      );
    },
  };
}

const medianOf = (measured: readonly Measurement[], name: 'p50' | 'p99'): number =>
  median(measured.map((one) => one[name]));

interface Party {
  readonly who: string;
  /** How it sends, if it sends in several ways. */
  readonly by: string;
}

/** In the order in which they are measured: only the first, except under floods that name sign-ins of a tenant. */
const parties: readonly Party[] = [
  { who: 'the second tenant', by: '' },
  { who: 'the named tenant', by: ', by its API key' },
  { who: 'the named tenant', by: ', by a remembered token' },
];

function judge(
  findings: Findings,
  { who, by }: Party,
  measuredBeside: Measurement[],
  measuredUnder: Measurement[],
): void {
  const [beside, under] = [medianOf(measuredBeside, 'p99'), medianOf(measuredUnder, 'p99')];
  const most = Math.max(mostP99Milliseconds, mostTimes * beside);
  findings.figure(`p99 beside the flood${by}`, `${beside.toFixed(1)} ms`);
  findings.figure(`p99 under the flood${by}`, `${under.toFixed(1)} ms`);
  findings.check(
    `${who}'s p99 latency${by} is at most ${mostP99Milliseconds} ms, or ${mostTimes} times its latency while another server gets the flood`,
    under <= most,
    `${under.toFixed(1)} ms, at most ${most.toFixed(1)} ms`,
  );
}

/** All that strangers' tokens cause, whatever the hosts send. */
function judgeFetches(findings: Findings, host: KeyHost): void {
  const { seconds, fetches, mostBytes } = host.asked();
  const servers = 2;
  const [most, most30] = [Math.max(...fetches.values()), servers * (Math.floor(seconds / 30) + 1)];
  findings.figure(
    'fetches',
    `at most ${most} of each of ${fetches.size} sign-ins in ${Math.round(seconds)} s`,
  );
  findings.check(
    'each server fetches the keys of a sign-in, and at most once in 30 s',
    fetches.size > 1 && most <= most30,
    `${most} times in ${Math.round(seconds)} s`,
  );
  const mebibytes = mostBytes / 1024 ** 2;
  findings.check(
    `a server takes less than ${mostSentMebibytes} MiB of a host that sends without end`,
    mebibytes < mostSentMebibytes,
    `${mebibytes.toFixed(1)} MiB`,
  );
}

/** Nobody pays for the requests of strangers, so the limits are narrower. */
function judgeStrangers(
  findings: Findings,
  { by }: Party,
  beside: Measurement[],
  under: Measurement[],
): void {
  const [before, p50] = [medianOf(beside, 'p50'), medianOf(under, 'p50')];
  findings.figure(`p50 beside the flood${by}`, `${before.toFixed(1)} ms`);
  findings.figure(`p50 under the flood${by}`, `${p50.toFixed(1)} ms`);
  findings.check(
    `the tenant's median latency${by} is at most ${mostTimes} times its latency while another server gets the flood`,
    p50 <= mostTimes * before,
    `${p50.toFixed(1)} ms, at most ${(mostTimes * before).toFixed(1)} ms`,
  );
  const longest = Math.max(...under.map(({ readiness }) => readiness));
  findings.longest('longest wait for /readyz', longest);
  findings.check(
    `/readyz responds within ${mostReadinessMilliseconds} ms`,
    longest < mostReadinessMilliseconds,
    `${Math.round(longest)} ms`,
  );
}

const verifiers: Trial = {
  name: 'verifiers',
  about: 'two tenants with long logs verify without end, each on 3 connections, and a third tenant verifies',
  limit: 400,
  async run(findings) {
    const { operator } = await largeWorld();
    const { own, second: third, target } = await setUp(findings, await largeWorld());
    const greedy = [await operator.newTenant(), await operator.newTenant()];
    for (const tenant of greedy) await fillLog(own, tenant, 200);
    const flooding: RunningFlood[] = [];
    for (const { token } of greedy) flooding.push(await startFlood('verifies', { ...target(own), token }, 3));
    await sleep(3_000);
    const latencies: number[] = [];
    for (let nth = 0; nth < 20; nth++) {
      const { status, sentAt, answeredAt } = await third.verify(own);
      latencies.push(status === 200 ? answeredAt - sentAt : Infinity);
      findings.try('verification of the third tenant');
      // Those of the others take up to ten seconds each.
      await sleep(1_000);
    }
    for (const flood of flooding) findings.answer(await flood.stop());
    const inTime = latencies.filter((latency) => latency < mostVerifySeconds * 1_000).length;
    findings.figure('longest verification', `${Math.round(Math.max(...latencies))} ms`);
    findings.check(
      `each verification of the third tenant succeeds within ${mostVerifySeconds} seconds`,
      inTime === latencies.length,
      `${inTime} of ${latencies.length}`,
    );
    const served = findings.answered.get('200') ?? 0;
    findings.check('the two tenants verify too', served > 0, Object.fromEntries(findings.answered));
  },
};

async function fillLog(place: Place, { token }: Tenant, thousands: number): Promise<void> {
  const item = { key_id: await newKey(place, token), dek: newDek() };
  const items = Array.from({ length: 1_000 }, () => item);
  for (let nth = 0; nth < thousands; nth++) await call(place, token, 'POST', '/v1/batch/wrap', { items });
}

const restart: Trial = {
  name: 'restart',
  about: 'strangers send unknown tokens on 4,000 connections to a server that has just started',
  limit: 180,
  async run(findings) {
    const { operator } = await largeWorld();
    const tenants: Tenant[] = [];
    for (let nth = 0; nth < 20; nth++) tenants.push(await operator.newTenant());
    const { own, target } = await setUp(findings, await largeWorld());
    const flood = await startFlood('tokens', target(own), 4_000);
    await sleep(2_000);
    const first = tenants.map(({ token }) => send(own, token, 'GET', '/v1/keys'));
    const answers = await Promise.all(first);
    findings.try('first call of a tenant', answers.length);
    findings.answer(await flood.stop());
    const longest = Math.max(...answers.map(({ sentAt, answeredAt }) => answeredAt - sentAt));
    findings.longest('longest first call', longest);
    const refused = answers.filter(({ status }) => status !== 200);
    findings.check('the first call of every tenant succeeds', refused.length === 0, tally(refused));
    const count = findings.answered.get('401') ?? 0;
    findings.check('the strangers get responses', count > 0, Object.fromEntries(findings.answered));
  },
};

const signIns: Trial = {
  name: 'sign-ins',
  about:
    'users of one tenant sign in while strangers send unknown API keys, or forged tokens of another tenant, on 500 connections',
  limit: 400,
  async run(findings) {
    const { own, second, target } = await setUp(findings, await largeWorld());
    const { signedInAnew } = await second.user(own);
    const besideFlood = async (name: FloodName): Promise<number> => {
      const flood = await startFlood(name, target(own), 500);
      await sleep(2_000);
      const latencies: number[] = [];
      for (let nth = 0; nth < scaled(100); nth++) latencies.push(await signedInAnew().unwrap(own));
      findings.try('sign-in', latencies.length);
      findings.answer(await flood.stop());
      return median(latencies);
    };
    const ratios: number[] = [];
    const medians: string[] = [];
    for (let run = 0; run < runs; run++) {
      const [unknown, forged] = [await besideFlood('tokens'), await besideFlood('forged')];
      medians.push(`${unknown.toFixed(1)} and ${forged.toFixed(1)} ms`);
      ratios.push(forged / unknown);
    }
    findings.figure('p50 beside unknown API keys and beside forged tokens', medians.join(', '));
    const ratio = median(ratios);
    findings.check(
      'forged tokens of one tenant make the sign-ins of another at most 1.5 times as long as unknown API keys',
      ratio <= 1.5,
      ratio.toFixed(2),
    );
  },
};

const changes: Trial = {
  name: 'changes',
  about: 'a tenant unwraps on 16 connections and creates 70 keys a second',
  limit: 180,
  async run(findings) {
    const world = await largeWorld();
    const { own, target } = await setUp(findings, world);
    const ratios: number[] = [];
    for (let run = 0; run < runs; run++) {
      const alone = await unwrapsIn(findings, target(own), () => sleep(5_000));
      const beside = await unwrapsIn(findings, target(own), () => createKeys(own, world.tenant.token, 350));
      findings.try('measurement', 2);
      findings.figure('unwraps a second', `${Math.round(alone)} alone, ${Math.round(beside)} beside`);
      ratios.push(beside / alone);
    }
    const ratio = median(ratios);
    findings.figure('ratio', ratio.toFixed(2));
    findings.check(
      '70 changes per second leave at least half of the throughput of unwraps',
      ratio >= 0.5,
      ratio.toFixed(2),
    );
  },
};

async function unwrapsIn(
  findings: Findings,
  target: FloodTarget,
  work: () => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  const flood = await startFlood('unwraps', target, 16);
  await work();
  const statuses = await flood.stop();
  findings.answer(statuses);
  return (statuses['200'] ?? 0) / ((performance.now() - startedAt) / 1_000);
}

async function createKeys(place: Place, token: string, count: number): Promise<void> {
  const startedAt = performance.now();
  const pending: Promise<unknown>[] = [];
  for (let nth = 0; nth < count; nth++) {
    const wait = startedAt + (nth * 1_000) / 70 - performance.now();
    if (wait > 0) await sleep(wait);
    pending.push(send(place, token, 'POST', '/v1/keys', { name: `change ${Math.random()}` }));
  }
  await Promise.all(pending);
}

export const fairness: Part = {
  name: 'fairness',
  about: 'what one tenant sends does not keep another waiting, and does not fill the memory',
  unavailable: withoutStandby,
  trials: [
    ...Object.entries(floods).map(([name, flood]) => floodTrial(name as FloodName, flood)),
    verifiers,
    restart,
    signIns,
    changes,
  ],
};
