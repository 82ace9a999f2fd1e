import { randomBytes } from 'node:crypto';
import type { Replica } from '@eaas/test-kit/faults/place';
import { programOf } from '@eaas/test-kit/built-program';
import { getRequest, postRequest } from './burst.ts';
import type { Benchmark } from './compare.ts';
import { itemsPer, itemsPerSecond } from './costs.ts';
import { cpuMicroseconds } from './cpu-time.ts';
import { comparisonOf } from './in-turns.ts';
import { openOperator, startDeferred } from './open-operator.ts';
import { batchRequest, type Customer, newCustomers, type Operation, unwrapOf, wrapOf } from './operations.ts';

const earlier = process.env['BENCH_EARLIER'] ?? '';
const tenants = 16;
const turns = { rounds: 15, warmUps: 3 };
const target = 0.97;

interface Build {
  readonly server: Replica;
  readonly customers: readonly Customer[];
}

export const benchmark: Benchmark = {
  name: 'builds',
  about: `this build compared with the build of the checkout that BENCH_EARLIER names, on one PostgreSQL that does not wait for the disk, with ${tenants} tenants; the CPU seconds are those of the server and of PostgreSQL`,
  async comparisons(defer) {
    if (earlier === '') {
      console.log('not available: an earlier build (BENCH_EARLIER does not name its checkout)');
      return [];
    }
    const { postgres, ...operator } = await openOperator(defer, 'installed', false);
    // Earlier builds read DATABASE_URL.
    const env = { ...operator.env, DATABASE_URL: operator.env['EAAS_DATABASE_URL'] ?? '' };
    const start = async (checkout: string): Promise<Build> => {
      const program = [process.execPath, '--enable-source-maps', programOf(checkout)];
      const server = await startDeferred(defer, env, program);
      return { server, customers: await newCustomers(operator, server, tenants) };
    };
    const [now, before] = [await start('.'), await start(earlier)];
    const cpuSeconds = async ({ server }: Build): Promise<number> =>
      ((await cpuMicroseconds(server.pid)) + (await cpuMicroseconds(postgres.pid))) / 1e6;
    return operations.flatMap(({ name, textOf, ...rest }) => {
      const operationOf = ({ customers }: Build): Operation => ({
        name,
        texts: customers.map(textOf),
        ...rest,
      });
      const perSecond = (build: Build) => () => itemsPerSecond(build.server, operationOf(build));
      const perCpuSecond = (build: Build) => () =>
        itemsPer(build.server, operationOf(build), () => cpuSeconds(build));
      const other = 'earlier build';
      return [
        comparisonOf(
          `${name}, per CPU second`,
          perCpuSecond(now),
          other,
          perCpuSecond(before),
          target,
          turns,
        ),
        comparisonOf(name, perSecond(now), other, perSecond(before), undefined, turns),
      ];
    });
  },
};

type Called = Omit<Operation, 'texts'> & { readonly textOf: (one: Customer) => Operation['texts'][number] };

const single = { size: 1, connections: 2, requests: 960 };
const batch = { size: 100, connections: 1, requests: 128 };

const operations: readonly Called[] = [
  { name: 'wrap', ...single, textOf: wrapOf },
  { name: 'unwrap', ...single, textOf: unwrapOf },
  { name: 'batch of wraps', ...batch, textOf: (one) => batchRequest('wrap', one, 100) },
  { name: 'batch of unwraps', ...batch, textOf: (one) => batchRequest('unwrap', one, 100) },
  { name: 'audit page', ...single, textOf: ({ headers }) => getRequest('/v1/audit?limit=50', headers) },
  { name: 'key creation', ...single, textOf: keyRequest },
];

function keyRequest({ headers }: Customer): () => string {
  return () => postRequest('/v1/keys', headers, { name: randomBytes(16).toString('hex') });
}
