import { randomBytes } from 'node:crypto';
import { operate, type Replica, startReplica } from '../faults/place.ts';
import { programOf } from '../setup/built-program.ts';
import { OwnPostgres } from '../setup/own-postgres.ts';
import { Burst, getRequest, postRequest } from './burst.ts';
import type { Benchmark } from './compare.ts';
import { itemsPerSecond } from './costs.ts';
import { comparisonOf } from './in-turns.ts';
import { batchRequest, type Customer, newCustomer, type Operation, unwrapOf, wrapOf } from './operations.ts';

const earlier = process.env['BENCH_EARLIER'] ?? '';
const tenants = 16;
const created = 640;
const turns = { rounds: 15, warmUps: 4 };
const target = 0.97;

interface Build {
  readonly server: Replica;
  readonly customers: readonly Customer[];
}

export const benchmark: Benchmark = {
  name: 'builds',
  about: `this build compared with the build of the checkout that BENCH_EARLIER names, on one PostgreSQL that does not wait for the disk, with ${tenants} tenants`,
  async comparisons(defer) {
    if (earlier === '') {
      console.log('not available: an earlier build (BENCH_EARLIER does not name its checkout)');
      return [];
    }
    const postgres = await OwnPostgres.start('installed', false);
    defer(postgres.drop);
    const operator = await operate(postgres.url);
    defer(operator.close);
    const start = async (checkout: string): Promise<Build> => {
      const program = [process.execPath, '--enable-source-maps', programOf(checkout)];
      const server = await startReplica(operator.env, program);
      defer(server.kill);
      const customers: Customer[] = [];
      while (customers.length < tenants) customers.push(await newCustomer(operator, server));
      return { server, customers };
    };
    const [now, before] = [await start('.'), await start(earlier)];
    const compared = (name: string, measureOf: (build: Build) => Promise<number>) =>
      comparisonOf(
        name,
        () => measureOf(now),
        'earlier build',
        () => measureOf(before),
        target,
        turns,
      );
    const called = (name: string, operationOf: (build: Build) => Operation) =>
      compared(name, (build) => itemsPerSecond(build.server, operationOf(build)));
    const each = (name: string, requests: number, textOf: (one: Customer) => string, size = 1) =>
      called(name, ({ customers }) => ({
        name,
        size,
        requests,
        connections: size === 1 ? 2 : 1,
        texts: customers.map(textOf),
      }));
    return [
      each('wrap', 1_600, wrapOf),
      each('unwrap', 1_600, unwrapOf),
      each('batch of 100 wraps', 160, (one) => batchRequest('wrap', one, 100), 100),
      each('batch of 100 unwraps', 160, (one) => batchRequest('unwrap', one, 100), 100),
      each('page of 50 audit entries', 640, ({ headers }) => getRequest('/v1/audit?limit=50', headers)),
      compared('creation of a key', keysPerSecond),
    ];
  },
};

async function keysPerSecond({ server, customers }: Build): Promise<number> {
  const bursts = await Promise.all(
    customers.map(({ headers }) => {
      const request = (): string =>
        postRequest('/v1/keys', headers, { name: randomBytes(16).toString('hex') });
      return Burst.open(server.port, request, 1);
    }),
  );
  const startedAt = performance.now();
  try {
    await Promise.all(bursts.map((burst) => burst.run(created / tenants)));
    return (created * 1_000) / (performance.now() - startedAt);
  } finally {
    for (const burst of bursts) burst.close();
  }
}
