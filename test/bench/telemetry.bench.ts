import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '@eaas/test-kit/program';
import type { Replica } from '@eaas/test-kit/faults/place';
import { telemetryFolder } from '@eaas/test-kit/with-telemetry';
import { builtProgram } from '@eaas/test-kit/built-program';
import { type Benchmark, type Comparison, type Defer, resultOf } from './compare.ts';
import { itemsPer } from './costs.ts';
import { cpuMicroseconds } from './cpu-time.ts';
import { named } from './in-turns.ts';
import { openOperator, startDeferred } from './open-operator.ts';
import { newCustomers, wrapOf } from './operations.ts';
import { untracedProgram } from './untraced-program.ts';

/** Two processes with the same code differ in speed, so each variant starts four times. */
const starts = 4;
const [warmUps, rounds] = [3, 5];
const requests = 3_200;
const [tenants, connections] = [16, 2];

const reference = 'tracing code removed';

const target = 0.97;

export const benchmark: Benchmark = {
  name: 'telemetry',
  about: `how many audited wraps the server completes in one second of its CPU time, with OpenTelemetry, whose exporter discards all spans, and without OpenTelemetry`,
  async comparisons(defer) {
    const taken = await measure(defer);
    return [
      comparison(taken, 'off', target),
      comparison(taken, 'on, 1 % of requests'),
      comparison(taken, 'on, all requests'),
    ];
  },
};

type Taken = ReadonlyMap<string, readonly number[]>;

function comparison(taken: Taken, name: string, least?: number): Comparison {
  const others = taken.get(reference) ?? [];
  const result = resultOf(
    (taken.get(name) ?? []).map((ours, nth) => ({ ours, reference: others[nth] ?? 0 })),
  );
  return {
    ...named(name, reference),
    ...(least !== undefined && { target: least }),
    elsewhere: async () => result,
  };
}

async function measure(defer: Defer): Promise<Taken> {
  const operator = await openOperator(defer, 'installed');
  const variants = await variantsOf(operator.env, defer);
  const taken = new Map(variants.map(({ name }) => [name, [] as number[]]));
  for (let start = 0; start < starts; start++) {
    const running = await Promise.all(
      variants.map(async ({ name, env, program }) => {
        const server = await startDeferred(defer, env, program);
        const texts = (await newCustomers(operator, server, tenants)).map(wrapOf);
        return { name, server, operation: { name: 'wrap', size: 1, requests, texts, connections } };
      }),
    );
    for (let round = 0; round < warmUps + rounds; round++) {
      for (const { name, server, operation } of running) {
        const perSecond = await itemsPer(server, operation, () => cpuSeconds(server));
        if (round >= warmUps) taken.get(name)?.push(perSecond);
      }
    }
    for (const { server } of running) await server.kill();
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

const cpuSeconds = async ({ pid }: Replica): Promise<number> => (await cpuMicroseconds(pid)) / 1e6;
