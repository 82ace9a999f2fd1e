// What one tenant, or strangers, send to a server, and what quiet tenants notice of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median, quantile } from '@eaas/test-kit/statistics';
import { type Answer, call, type Place, send } from '@eaas/test-kit/faults/client';
import { newDek, tally } from '@eaas/test-kit/faults/load';
import { newKey, type Operator } from '@eaas/test-kit/faults/place';
import { judgeServer, startProbed } from '../../machine/server.ts';
import { type Findings, type Part, scaled, type Trial } from '../../trial.ts';
import { largestItems, largeWorld } from '../hostile/world.ts';
import { type Flood, type FloodName, floods, type FloodTarget, largePlaintext } from './floods.ts';

const runs = scaled(3);
const requests = scaled(2_000);
/** The milliseconds between two requests of the quiet tenants. */
const interval = 5;
const mostP99Milliseconds = 50;
const mostTimes = 3;
const mostReadinessMilliseconds = 200;
const program = fileURLToPath(new URL('flood-process.ts', import.meta.url));

interface Measurement {
  readonly p50: number;
  readonly p99: number;
  /** The largest p99 that one of the quiet tenants has of its own calls. */
  readonly own: number;
  /** The longest time until `/readyz` answered, in milliseconds. */
  readonly readiness: number;
  readonly refused: readonly Answer[];
}

/** Returns a function that measures the latencies of the calls of quiet tenants, which take turns. */
async function settleQuiet(operator: Operator, settledAt: Place, length: number) {
  const settle = async () => {
    const { token } = await operator.newTenant();
    const keyId = await newKey(settledAt, token);
    const path = `/v1/keys/${keyId}`;
    const { wrapped_key } = await call(settledAt, token, 'POST', `${path}/wrap`, { dek: newDek() });
    return { token, path, wrapped_key, encrypt: { key_id: keyId, plaintext: 'x'.repeat(1_024) } };
  };
  const quiet = await Promise.all(Array.from({ length }, settle));
  return async (place: Place, count: number): Promise<Measurement> => {
    const turns = Array.from({ length: Math.ceil(count / length) }, () => quiet).flat();
    const over = new AbortController();
    const readiness = longestReadiness(place, over.signal);
    const verified = send(place, quiet[0]?.token ?? '', 'GET', '/v1/audit/verify');
    const pending: Promise<readonly [Answer, latency: number]>[] = [];
    const startedAt = performance.now();
    for (const [nth, { token, path, wrapped_key, encrypt }] of turns.slice(0, count).entries()) {
      // From the scheduled time of each request, so that a late start counts too.
      const dueAt = startedAt + nth * interval;
      await sleep(Math.max(0, dueAt - performance.now()));
      const sent =
        nth % 2 === 0
          ? send(place, token, 'POST', `${path}/unwrap`, { wrapped_key })
          : send(place, token, 'POST', '/v1/encrypt', encrypt);
      pending.push(sent.then((answer) => [answer, answer.answeredAt - dueAt]));
    }
    const timed = await Promise.all(pending);
    over.abort();
    const latencies = timed.map(([, latency]) => latency);
    const ownLatencies = quiet.map((_, own) => latencies.filter((__, nth) => nth % length === own));
    const answers = [...timed.map(([answer]) => answer), await verified];
    return {
      p50: median(latencies),
      p99: quantile(latencies, 0.99),
      own: Math.max(...ownLatencies.map((own) => quantile(own, 0.99))),
      readiness: await readiness,
      refused: answers.filter(({ status }) => status !== 200),
    };
  };
}

/** Asks `/readyz` ten times a second, as a load balancer does. */
async function longestReadiness(place: Place, over: AbortSignal): Promise<number> {
  let longest = 0;
  for (; !over.aborted; await sleep(100)) {
    const { sentAt, answeredAt } = await send(place, '', 'GET', '/readyz');
    longest = Math.max(longest, answeredAt - sentAt);
  }
  return longest;
}

/** Starts a separate process, because a flood from the measuring process would slow the measurement. */
async function startFlood(findings: Findings, name: FloodName, target: FloodTarget) {
  const file = join(await findings.newDirectory(), 'target.json');
  await writeFile(file, JSON.stringify(target));
  const node = [process.execPath, '--conditions=@eaas/source', '--import', 'tsx', program, name, file];
  const child = spawn('nice', ['-n', '5', ...node], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), ended]);
  return {
    async stop(): Promise<Readonly<Record<string, number>>> {
      child.stdin.end();
      await ended;
      return JSON.parse(output.split('\n')[1] ?? '{}') as Record<string, number>;
    },
  };
}

function floodTrial(name: FloodName, { about, served, isOfStrangers, quiet = 1 }: Flood): Trial {
  return {
    name,
    about: `${isOfStrangers ? 'strangers send' : 'one tenant sends'} ${about}`,
    limit: 900,
    async run(findings) {
      const { operator, tenant, plain: keyId, versioned } = await largeWorld();
      const own = await startProbed(findings, operator.env);
      const other = await startProbed(findings, operator.env);
      const measure = await settleQuiet(operator, own, quiet);
      const encrypt = { key_id: keyId, plaintext: largePlaintext };
      const bundle = await call(own, tenant.token, 'POST', '/v1/encrypt', encrypt);
      const { wrapped_key } = await call(own, tenant.token, 'POST', `/v1/keys/${keyId}/wrap`, {
        dek: newDek(),
      });
      const items = largestItems(keyId, 'quotes');
      const known = { token: tenant.token, keyId, versioned, items, bundle, wrapped: String(wrapped_key) };
      const measureWhile = async (flooded: Place): Promise<Measurement> => {
        const flood = await startFlood(findings, name, { ...known, port: flooded.port });
        await measure(own, scaled(200));
        const measured = await measure(own, requests);
        findings.answer(await flood.stop());
        await sleep(500);
        return measured;
      };
      const beside: Measurement[] = [];
      const under: Measurement[] = [];
      for (let run = 0; run < runs; run++) {
        beside.push(await measureWhile(other));
        under.push(await measureWhile(own));
        findings.try('measurement', 2);
      }
      const refused = under.flatMap((one) => one.refused);
      findings.check('no quiet tenant is refused', refused.length === 0, tally(refused));
      if (served !== undefined) {
        const count = findings.answered.get(String(served)) ?? 0;
        findings.check(
          isOfStrangers ? 'the strangers get responses' : 'some requests of the flooding tenant succeed',
          count > 0,
          Object.fromEntries(findings.answered),
        );
      }
      judge(findings, 'p99', beside, under);
      const worst = Math.max(...under.map((one) => one.own));
      findings.longest('largest p99 of a quiet tenant', worst);
      if (quiet > 1) {
        findings.check('the p99 latency of each quiet tenant is under 500 ms', worst < 500, `${worst} ms`);
      }
      if (isOfStrangers) judgeStrangers(findings, beside, under);
      await judgeServer(findings, own);
    },
  };
}

type Measurements = readonly Measurement[];

function judge(findings: Findings, which: 'p50' | 'p99', beside: Measurements, under: Measurements): void {
  const [before, now] = [beside, under].map((all) => median(all.map((one) => one[which])));
  const least = which === 'p99' ? mostP99Milliseconds : 0;
  const most = Math.max(least, mostTimes * (before ?? 0));
  findings.figure(`${which} beside the flood`, `${before?.toFixed(1)} ms`);
  findings.figure(`${which} under the flood`, `${now?.toFixed(1)} ms`);
  findings.check(
    `the quiet tenants' ${which} latency is at most ${least > 0 ? `${least} ms, or ` : ''}${mostTimes} times their latency while another server gets the flood`,
    (now ?? Infinity) <= most,
    `${now?.toFixed(1)} ms, at most ${most.toFixed(1)} ms`,
  );
}

/** Nobody pays for the requests of strangers, so the limits are narrower. */
function judgeStrangers(findings: Findings, beside: Measurements, under: Measurements): void {
  judge(findings, 'p50', beside, under);
  const longest = Math.max(...under.map(({ readiness }) => readiness));
  findings.longest('longest wait for /readyz', longest);
  findings.check(
    `/readyz responds within ${mostReadinessMilliseconds} ms`,
    longest < mostReadinessMilliseconds,
    `${Math.round(longest)} ms`,
  );
}

export const fairness: Part = {
  name: 'fairness',
  about: 'what one tenant sends does not keep another waiting, and does not fill the memory',
  trials: Object.entries(floods).map(([name, flood]) => floodTrial(name as FloodName, flood)),
};
