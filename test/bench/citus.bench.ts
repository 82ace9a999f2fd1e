import { citusIsInstalled } from '@eaas/test-kit/citus';
import { type BenchPlace, onCitus, onOnePostgres } from './citus-place.ts';
import type { Benchmark, Defer, Measurement } from './compare.ts';
import { itemsPerSecond, opened, repeated } from './costs.ts';
import { cpuMicroseconds } from './cpu-time.ts';
import { comparisonOf } from './in-turns.ts';
import { batchRequest, type Customer, newCustomers, type Operation, wrapOf } from './operations.ts';
import { median } from '@eaas/test-kit/statistics';

interface Crowd extends BenchPlace {
  readonly customers: readonly Customer[];
}

const [tenants, connections] = [8, 24];
const crowds = [1, 8, 100];
const rounds = 7;
const batch = 100;

export const benchmark: Benchmark & Measurement = {
  name: 'citus',
  about: `audited wraps of ${tenants} tenants on a coordinator and two workers of Citus, compared with one PostgreSQL on the same cores. Each PostgreSQL waits for the disk at each commit`,
  async comparisons(defer) {
    if (!(await citusIsInstalled())) {
      console.log('not available: Citus');
      return [];
    }
    const [citus, one] = await startBoth(defer, tenants);
    const compared = (name: string, operationOf: (crowd: Crowd) => Operation, target?: number) =>
      comparisonOf(
        name,
        () => itemsPerSecond(citus.server, operationOf(citus)),
        'one PostgreSQL',
        () => itemsPerSecond(one.server, operationOf(one)),
        target,
        { rounds, warmUps: 3 },
      );
    return [
      compared('wraps', ({ customers }) => wraps(customers, connections, 4_800), 0.7),
      compared('wraps, appended alone', ({ customers }) => wraps(customers, 1, 2_400)),
      compared('batches of 100 wraps', ({ customers }) => batches(customers, 2, 320)),
    ];
  },
  async measure(defer, print) {
    if (!(await citusIsInstalled())) return [];
    const [citus, one] = await startBoth(defer, Math.max(...crowds));
    const rows: { name: string; values: number[] }[] = [];
    for (const [name, operationOf] of operations) {
      for (const size of crowds) {
        const [alone = [], spread = []] = await inTurn(
          [one, citus].map((crowd) => () => cpuOf(crowd, operationOf(crowd.customers.slice(0, size)))),
        );
        const [server = 0, coordinator = 0, workers = 0] = spread;
        const [plainServer = 0, postgres = 0] = alone;
        const values = [server, coordinator, workers, plainServer, postgres];
        rows.push({ name: `${name}, ${size} ${size === 1 ? 'tenant' : 'tenants'}`, values });
        print(`${rows.at(-1)?.name}: ${values.map((value) => value.toFixed(1)).join(', ')}`);
      }
    }
    return [{ name: 'µs of CPU for a wrap on Citus', columns: cpuColumns, rows }];
  },
};

const cpuColumns = ['server', 'coordinator', 'both workers', 'server, without Citus', 'one PostgreSQL'];

const operations: readonly (readonly [string, (customers: readonly Customer[]) => Operation])[] = [
  ['appended alone', (customers) => wraps(customers, 1, 800)],
  ['in batches of 100', (customers) => batches(customers, 1, 100)],
];

async function startBoth(defer: Defer, size: number): Promise<[Crowd, Crowd]> {
  const start = async (place: BenchPlace): Promise<Crowd> => ({
    ...place,
    customers: await newCustomers(place.operator, place.server, size),
  });
  return [await start(await onCitus(defer)), await start(await onOnePostgres(defer))];
}

function wraps(customers: readonly Customer[], each: number, requests: number): Operation {
  return { name: 'wraps', size: 1, requests, connections: each, texts: customers.map(wrapOf) };
}

function batches(customers: readonly Customer[], each: number, requests: number): Operation {
  const texts = customers.map((one) => batchRequest('wrap', one, batch));
  return { name: 'batches', size: batch, requests, connections: each, texts };
}

const unmeasuredCalls = ({ texts, connections: each }: Operation): number => texts.length * each;

function cpuOf({ server, coordinator, workers }: Crowd, operation: Operation): Promise<number[]> {
  const read = async (): Promise<number[]> => {
    const ofWorkers = await Promise.all(workers.map(cpuMicroseconds));
    const others = [await cpuMicroseconds(server.pid), await cpuMicroseconds(coordinator)];
    return [...others, ofWorkers.reduce((sum, time) => sum + time, 0)];
  };
  return repeated(() =>
    opened(server, operation, unmeasuredCalls(operation), async (run) => {
      const before = await read();
      await run(operation.requests);
      const after = await read();
      return after.map((time, nth) => (time - (before[nth] ?? 0)) / (operation.requests * operation.size));
    }),
  );
}

async function inTurn(measures: readonly (() => Promise<number[]>)[]): Promise<number[][]> {
  const taken: number[][][] = measures.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [nth, measure] of measures.entries()) taken[nth]?.push(await measure());
  }
  return taken.map((all) => (all[0] ?? []).map((_, column) => median(all.map((one) => one[column] ?? 0))));
}
