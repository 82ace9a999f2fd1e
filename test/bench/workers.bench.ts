import { readFile } from 'node:fs/promises';
import { newKey, type Operator, type Replica, startReplica, type Tenant } from '../faults/place.ts';
import { childrenOf } from '../setup/own-postgres.ts';
import { hasProxy, type Proxy, startProxy } from '../setup/tenant-proxies.ts';
import { Burst, wrapRequest } from './burst.ts';
import type { Benchmark, Comparison, Result } from './compare.ts';
import { comparisonOf, type Measure, named } from './in-turns.ts';
import { openOperator } from './open-operator.ts';

const requests = 6_000;
const [tenants, connections] = [8, 24];

interface Wrapping extends Tenant {
  readonly keyId: string;
}

/** A tenant, and the server and the connections that receive its requests. */
interface Way {
  readonly tenant: Wrapping;
  readonly replica: Pick<Replica, 'port' | 'pid'>;
  readonly connections: number;
}

export const benchmark: Benchmark = {
  name: 'workers',
  about: `audited wraps over HTTP, durable PostgreSQL, ${tenants} tenants with ${connections} connections each, and one tenant with ${tenants * connections} connections on several replicas`,
  async comparisons(defer) {
    const operator = await openOperator(defer);
    const start = async (workers: number): Promise<Replica> => {
      const replica = await startReplica({ ...operator.env, EAAS_WORKERS: String(workers) });
      defer(replica.kill);
      return replica;
    };
    const [one, second, third, two] = await Promise.all([start(1), start(1), start(1), start(2)]);
    const all = await settleAll(operator, one);
    const toOne = all.map((tenant): Way => ({ tenant, replica: one, connections }));
    const toTwo = toOne.map((way): Way => ({ ...way, replica: two }));
    const byTenant = toOne.map((way, nth): Way => ({ ...way, replica: nth % 2 === 0 ? one : second }));
    const behind = async (proxy: Proxy): Promise<Comparison[]> => {
      if (!hasProxy(proxy)) return [];
      const running = await startProxy(proxy, [one.port, second.port]);
      defer(running.stop);
      const through = toOne.map((way): Way => ({ ...way, replica: running }));
      const name = `2 replicas behind ${proxy}`;
      return [comparisonOf(name, perSecond(through), 'one replica', perSecond(toOne), 0.9)];
    };
    const alone = (among: readonly Replica[]): Way[] =>
      all.slice(0, 1).flatMap((tenant) =>
        among.map((replica) => ({
          tenant,
          replica,
          connections: (tenants * connections) / among.length,
        })),
      );
    return [
      comparisonOf(
        'two workers, per CPU second',
        perCpuSecond(toTwo),
        'one worker',
        perCpuSecond(toOne),
        0.91,
      ),
      {
        ...named('entries of the worker with less', 'of the other worker'),
        target: 0.67,
        elsewhere: () => entriesByWorker(two),
      },
      comparisonOf('two workers', perSecond(toTwo), 'one worker', perSecond(toOne)),
      comparisonOf(
        '2 replicas, one tenant',
        perSecond(alone([one, second])),
        'one replica',
        perSecond(alone([one])),
        0.7,
      ),
      comparisonOf(
        '3 replicas, one tenant',
        perSecond(alone([one, second, third])),
        'one replica',
        perSecond(alone([one])),
        0.7,
      ),
      comparisonOf('2 replicas by tenant', perSecond(byTenant), 'one replica', perSecond(toOne), 0.9),
      ...(await behind('haproxy')),
      ...(await behind('nginx')),
    ];
  },
};

async function settleAll(operator: Operator, place: Replica): Promise<Wrapping[]> {
  const all: Wrapping[] = [];
  for (let nth = 0; nth < tenants; nth++) {
    const tenant = await operator.newTenant();
    all.push({ ...tenant, keyId: await newKey(place, tenant.token) });
  }
  return all;
}

/** Opens connections for one measurement, because the server closes connections that are idle for a minute. */
async function loaded(
  ways: readonly Way[],
  measure: (run: () => Promise<unknown>) => Promise<number>,
): Promise<number> {
  const bursts = await Promise.all(
    ways.map(({ tenant, replica, connections: count }) =>
      Burst.open(replica.port, wrapRequest(tenant.keyId, tenant.token), count),
    ),
  );
  try {
    return await measure(() => Promise.all(bursts.map((burst) => burst.run(requests / bursts.length))));
  } finally {
    for (const burst of bursts) burst.close();
  }
}

function perSecond(ways: readonly Way[]): Measure {
  return () =>
    loaded(ways, async (run) => {
      const startedAt = performance.now();
      await run();
      return (requests * 1_000) / (performance.now() - startedAt);
    });
}

function perCpuSecond(ways: readonly Way[]): Measure {
  const pids = new Set(ways.map(({ replica }) => replica.pid));
  return () =>
    loaded(ways, async (run) => {
      const before = await cpuSeconds(pids);
      await run();
      return requests / ((await cpuSeconds(pids)) - before);
    });
}

async function cpuSeconds(pids: Iterable<number>): Promise<number> {
  let ticks = 0;
  for (const pid of pids) {
    for (const each of [pid, ...(await childrenOf(pid))]) {
      const fields = (await readFile(`/proc/${each}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
      ticks += Number(fields[11]) + Number(fields[12]);
    }
  }
  return ticks / 100;
}

async function entriesByWorker({ baseUrl }: Replica): Promise<Result> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const found = text.matchAll(/^eaas_audit_entries_total\{worker="\d+"\} (\d+)$/gm);
  const [least = 0, most = 0] = Array.from(found, ([, count]) => Number(count)).toSorted((a, b) => a - b);
  const ratio = least / most;
  return { ours: least, reference: most, ratio: { median: ratio, min: ratio, max: ratio } };
}
