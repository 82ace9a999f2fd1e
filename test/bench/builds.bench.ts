import { randomBytes } from 'node:crypto';
import { programOf } from '@eaas/test-kit/built-program';
import { jsonLines } from '@eaas/test-kit/command-line';
import { environmentOf } from '@eaas/test-kit/database';
import type { Replica } from '@eaas/test-kit/faults/place';
import { OwnPostgres } from '@eaas/test-kit/own-postgres';
import { run } from '@eaas/test-kit/program';
import { getRequest, postRequest } from './burst.ts';
import type { Benchmark } from './compare.ts';
import { itemsPer, itemsPerSecond } from './costs.ts';
import { cpuMicroseconds } from './cpu-time.ts';
import { comparisonOf } from './in-turns.ts';
import { startDeferred } from './open-operator.ts';
import { batchRequest, type Customer, newCustomers, type Operation, unwrapOf, wrapOf } from './operations.ts';

const earlier = process.env['BENCH_EARLIER'] ?? '';
const tenants = 16;
const turns = { rounds: 15, warmUps: 3 };
const target = 0.97;

interface Build {
  readonly postgres: OwnPostgres;
  readonly server: Replica;
  readonly customers: readonly Customer[];
}

export const benchmark: Benchmark = {
  name: 'builds',
  about: `this build compared with the build of the checkout that BENCH_EARLIER names, each on its own PostgreSQL that does not wait for the disk, with ${tenants} tenants; the CPU seconds are those of the server and of PostgreSQL`,
  async comparisons(defer) {
    if (earlier === '') {
      console.log('not available: an earlier build (BENCH_EARLIER does not name its checkout)');
      return [];
    }
    // Each build makes its own tables and tenants, because those of another version can differ.
    const start = async (checkout: string): Promise<Build> => {
      const postgres = await OwnPostgres.start('installed', false);
      defer(postgres.drop);
      const known = environmentOf(postgres.url);
      // Earlier builds read DATABASE_URL.
      const env = { ...known, DATABASE_URL: known.EAAS_DATABASE_URL };
      const program = [process.execPath, '--enable-source-maps', programOf(checkout)];
      const command = async (...args: readonly string[]): Promise<Record<string, string>> => {
        const { code, stdout, stderr } = await run([...program, ...args, '--json'], env);
        if (code !== 0) throw new Error(`eaas ${args.join(' ')} failed (${code}):\n${stdout}${stderr}`);
        return jsonLines<Record<string, string>>(stdout)[0] ?? {};
      };
      await command('migrate');
      const newTenant = async () => {
        const name = randomBytes(8).toString('hex');
        await command('tenant', 'create', '--name', name, '--envelope-only', 'false');
        const all = ['--name', 'all', '--permissions', 'all'];
        const { api_key = '' } = await command('api-key', 'create', '--tenant', name, ...all);
        return { token: api_key };
      };
      const server = await startDeferred(defer, env, program);
      return { postgres, server, customers: await newCustomers({ newTenant }, server, tenants) };
    };
    const [now, before] = [await start('.'), await start(earlier)];
    const cpuSeconds = async ({ postgres, server }: Build): Promise<number> =>
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
