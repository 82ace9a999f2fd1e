import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../conformance/program.ts';
import { connectTo, newKey, operate, type Operator, type Replica, startReplica } from '../faults/place.ts';
import { telemetryFolder } from '../observability/with-telemetry.ts';
import { builtProgram } from '../setup/built-program.ts';
import { OwnPostgres } from '../setup/own-postgres.ts';
import { Burst, wrapRequest } from './burst.ts';
import { type Benchmark, type Comparison, median } from './compare.ts';
import { differences, repeated, type Watched } from './costs.ts';
import { untracedProgram } from './untraced-program.ts';

/** Two processes with the same code differ in speed, so each variant is started several times. */
const starts = 4;
const [warmUps, rounds] = [3, 5];
const requests = 3_200;
const [tenants, connections] = [16, 2];

const reference = 'tracing code removed';

/** The least share of the reference's speed that the server must reach while tracing is off. */
const target = 0.97;

export const benchmark: Benchmark = {
  name: 'telemetry',
  about: `audited wraps per second of CPU time of the server, for ${tenants} tenants: with OpenTelemetry off, and with an exporter that discards all spans. Each variant of the server was started ${starts} times, with ${rounds} rounds per start`,
  async comparisons(defer) {
    const taken = await measure(defer);
    return [
      comparison(taken, 'off', target),
      comparison(taken, 'on, 1 % of requests'),
      comparison(taken, 'on, all requests'),
    ];
  },
};

/** For each variant of the server, the microseconds of CPU per wrap in each round. */
type Taken = ReadonlyMap<string, readonly number[]>;

function comparison(taken: Taken, name: string, least?: number): Comparison {
  const [ours, others] = [taken.get(name) ?? [], taken.get(reference) ?? []];
  const ratios = ours.map((value, nth) => (others[nth] ?? 0) / value);
  const run = (): void => {};
  const [own, other] = [median(ours), median(others)];
  return {
    ours: { name, run },
    reference: { name: reference, run },
    ...(least !== undefined && { target: least }),
    elsewhere: async () => ({
      ours: 1e6 / own,
      reference: 1e6 / other,
      ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
    }),
    note: () => `${name}: ${own.toFixed(0)} µs of CPU per wrap; ${reference}: ${other.toFixed(0)} µs`,
  };
}

type Defer = Parameters<Benchmark['comparisons']>[0];

async function measure(defer: Defer): Promise<Taken> {
  const postgres = await OwnPostgres.start('installed');
  defer(postgres.drop);
  const operator = await operate(postgres.url);
  defer(operator.close);
  const sql = connectTo(postgres);
  defer(() => sql.end());
  const variants = await variantsOf(operator.env, defer);
  const taken = new Map(variants.map(({ name }) => [name, [] as number[]]));
  for (let start = 0; start < starts; start++) {
    const running = await Promise.all(
      variants.map(async ({ name, env, program }) => {
        const server = await startReplica(env, program);
        defer(server.kill);
        const watched: Watched = { sql, server, postgresPid: postgres.pid };
        return { name, watched, texts: await textsFor(operator, server) };
      }),
    );
    for (let round = 0; round < warmUps + rounds; round++) {
      for (const { name, watched, texts } of running) {
        const cost = await repeated(() => cpuPerWrap(watched, texts));
        if (round >= warmUps) taken.get(name)?.push(cost);
      }
    }
    for (const { watched } of running) await watched.server.kill();
  }
  return taken;
}

interface Variant {
  readonly name: string;
  readonly env: Environment;
  readonly program: readonly string[];
}

async function variantsOf(env: Environment, defer: Defer): Promise<Variant[]> {
  const { folder, remove } = await telemetryFolder();
  defer(remove);
  const discard = join(folder, 'discard.mjs');
  await writeFile(
    discard,
    `import { NodeSDK } from '@opentelemetry/sdk-node';
    const traceExporter = { export: (spans, done) => done({ code: 0 }), shutdown: async () => {} };
    new NodeSDK({ instrumentations: [], traceExporter }).start();`,
  );
  const program = builtProgram();
  const on = [process.execPath, '--import', discard, program];
  const sampled = { ...env, OTEL_METRICS_EXPORTER: 'none', OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' };
  return [
    { name: reference, env, program: [process.execPath, await untracedProgram()] },
    { name: 'off', env, program: [process.execPath, program] },
    { name: 'on, 1 % of requests', env: { ...sampled, OTEL_TRACES_SAMPLER_ARG: '0.01' }, program: on },
    { name: 'on, all requests', env: { ...sampled, OTEL_TRACES_SAMPLER_ARG: '1' }, program: on },
  ];
}

async function textsFor(operator: Operator, server: Replica): Promise<string[]> {
  const texts: string[] = [];
  while (texts.length < tenants) {
    const { token } = await operator.newTenant();
    texts.push(wrapRequest(await newKey(server, token), token));
  }
  return texts;
}

/** Opens connections for one round, because the server closes connections that are idle for a minute. */
async function cpuPerWrap(watched: Watched, texts: readonly string[]): Promise<number> {
  const { port } = watched.server;
  const bursts = await Promise.all(texts.map((text) => Burst.open(port, text, connections)));
  const run = (count: number) => Promise.all(bursts.map((burst) => burst.run(count / bursts.length)));
  try {
    await run(tenants * connections);
    const [cpu = 0] = await differences(watched, () => run(requests));
    return cpu / requests;
  } finally {
    for (const burst of bursts) burst.close();
  }
}
