import { setTimeout as sleep } from 'node:timers/promises';
import { parsePublicKey, wrapForIntake } from '@eaas/protocol/intake';
import { median } from '../../../bench/statistics.ts';
import { call, type Place, send } from '../../../faults/client.ts';
import { newDek, tally } from '../../../faults/load.ts';
import { withoutStandby } from '../../machine/cluster.ts';
import { type ProbedServer, startProbed } from '../../machine/server.ts';
import { type Findings, type Part, scaled, type Trial } from '../../trial.ts';
import { largestItems, largeWorld, type World } from '../hostile/world.ts';
import { type Flood, type FloodName, floods, type FloodTarget } from './floods.ts';
import { startFlood } from './run-flood.ts';
import { type Measurement, SecondTenant } from './second-tenant.ts';

const runs = scaled(3);
const requests = scaled(2_000);
const mostP99Milliseconds = 50;
const mostTimes = 2;
const mostMebibytes = 400;

interface Setting {
  readonly own: ProbedServer;
  readonly other: Place;
  readonly second: SecondTenant;
  readonly target: (place: Place) => FloodTarget;
}

async function setUp(findings: Findings, world: World): Promise<Setting> {
  const own = await startProbed(findings, world.operator.env);
  const other = await startProbed(findings, world.operator.env);
  const second = await SecondTenant.settle(world.operator, own);
  const { tenant, plain: keyId, versioned } = world;
  const path = `/v1/keys/${keyId}/wrap`;
  const { wrapped_key } = await call(own, tenant.token, 'POST', path, { dek: newDek() });
  const items = largestItems(keyId, 'quotes');
  const { keyId: intakeKeyId, wrappedKey } = await wrapForIntake(
    parsePublicKey(world.intakePublicKey),
    new Uint8Array(32),
  );
  const intake = { keyId: intakeKeyId, wrapped: Buffer.from(wrappedKey).toString('base64') };
  const known = { intake, token: tenant.token, keyId, versioned, items, wrapped: String(wrapped_key) };
  return { own, other, second, target: ({ port }) => ({ ...known, port }) };
}

async function measureBeside(
  findings: Findings,
  setting: Setting,
  name: FloodName,
  flooded: Place,
): Promise<Measurement> {
  const flood = await startFlood(name, setting.target(flooded));
  await setting.second.measure(setting.own, scaled(200));
  const measured = await setting.second.measure(setting.own, requests);
  findings.answer(await flood.stop());
  await sleep(500);
  return measured;
}

function floodTrial(name: FloodName, { about, served }: Flood): Trial {
  return {
    name,
    about: `one tenant sends ${about}`,
    limit: 400,
    async run(findings) {
      const setting = await setUp(findings, await largeWorld());
      const beside: number[] = [];
      const under: number[] = [];
      for (let run = 0; run < runs; run++) {
        beside.push((await measureBeside(findings, setting, name, setting.other)).p99);
        const measured = await measureBeside(findings, setting, name, setting.own);
        under.push(measured.p99);
        findings.try('measurement', 2);
        const { refused } = measured;
        findings.check('the second tenant is never refused', refused.length === 0, tally(refused));
      }
      if (served !== undefined) {
        const count = findings.answered.get(String(served)) ?? 0;
        findings.check(
          'some requests of the flooding tenant succeed',
          count > 0,
          Object.fromEntries(findings.answered),
        );
      }
      judge(findings, median(beside), median(under));
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

function judge(findings: Findings, beside: number, under: number): void {
  const most = Math.max(mostP99Milliseconds, mostTimes * beside);
  findings.figure('p99 beside the flood', `${beside.toFixed(1)} ms`);
  findings.figure('p99 under the flood', `${under.toFixed(1)} ms`);
  findings.check(
    `the second tenant's p99 latency is at most ${mostP99Milliseconds} ms, or ${mostTimes} times its latency while another server gets the flood`,
    under <= most,
    `${under.toFixed(1)} ms, at most ${most.toFixed(1)} ms`,
  );
}

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
  trials: [...Object.entries(floods).map(([name, flood]) => floodTrial(name as FloodName, flood)), changes],
};
