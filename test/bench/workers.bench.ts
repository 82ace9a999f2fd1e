import type { Replica } from '@eaas/test-kit/faults/place';
import { hasProxy, type Proxy, startProxy } from '@eaas/test-kit/tenant-proxies';
import { type Benchmark, type Comparison, type Result, resultOf } from './compare.ts';
import { withSenders, repeated, type Sender } from './costs.ts';
import { cpuMicroseconds } from './cpu-time.ts';
import { comparisonOf, type Measure, named } from './in-turns.ts';
import { openOperator, startDeferred } from './open-operator.ts';
import { batchRequest, newCustomers, wrapOf } from './operations.ts';

const items = 6_000;
const [tenants, connections] = [8, 24];

export const benchmark: Benchmark = {
  name: 'workers',
  about: `audited wraps over HTTP, with a PostgreSQL that waits for the disk at each commit: ${tenants} tenants with ${connections} connections each, or one tenant with 8, 64 or ${tenants * connections} connections (wraps) or 16 connections (batches) to several replicas`,
  async comparisons(defer) {
    const operator = await openOperator(defer);
    const start = (workers: number): Promise<Replica> =>
      startDeferred(defer, { ...operator.env, EAAS_WORKERS: String(workers) });
    const [one, second, third, two] = await Promise.all([start(1), start(1), start(1), start(2)]);
    const customers = await newCustomers(operator, one, tenants);
    const texts = customers.map(wrapOf);
    const batches = customers.map((customer) => batchRequest('wrap', customer, 10));
    const toOne = texts.map((text): Sender => ({ text, replica: one, connections }));
    const toTwo = toOne.map((sender): Sender => ({ ...sender, replica: two }));
    const byTenant = toOne.map((sender, nth): Sender => ({
      ...sender,
      replica: nth % 2 === 0 ? one : second,
    }));
    const behind = async (proxy: Proxy): Promise<Comparison[]> => {
      if (!hasProxy(proxy)) return [];
      const running = await startProxy(proxy, [one.port, second.port]);
      defer(running.stop);
      const through = toOne.map((sender): Sender => ({ ...sender, replica: running }));
      const name = `2 replicas behind ${proxy}`;
      return [comparisonOf(name, perSecond(through), 'one replica', perSecond(toOne), 0.9)];
    };
    const alone = (
      among: readonly Replica[],
      all = tenants * connections,
      [text = ''] = texts,
    ): readonly Sender[] => among.map((replica) => ({ text, replica, connections: all / among.length }));
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
      comparisonOf(
        '2 replicas, one tenant, 64 connections',
        perSecond(alone([one, second], 64)),
        'one replica',
        perSecond(alone([one], 64)),
        0.7,
      ),
      comparisonOf(
        '2 replicas, one tenant, 8 connections',
        perSecond(alone([one, second], 8)),
        'one replica',
        perSecond(alone([one], 8)),
        0.7,
      ),
      comparisonOf(
        '2 replicas, one tenant, batches of 10',
        perSecond(alone([one, second], 16, batches), 10),
        'one replica',
        perSecond(alone([one], 16, batches), 10),
        0.7,
      ),
      comparisonOf('2 replicas by tenant', perSecond(byTenant), 'one replica', perSecond(toOne), 0.9),
      ...(await behind('haproxy')),
      ...(await behind('nginx')),
    ];
  },
};

function loaded(
  senders: readonly Sender[],
  size: number,
  measure: (run: () => Promise<unknown>) => Promise<number>,
): Promise<number> {
  return repeated(() => withSenders(senders, 0, (run) => measure(() => run(items / size))));
}

function perSecond(senders: readonly Sender[], size = 1): Measure {
  return () =>
    loaded(senders, size, async (run) => {
      const startedAt = performance.now();
      await run();
      return (items * 1_000) / (performance.now() - startedAt);
    });
}

function perCpuSecond(senders: readonly Sender[]): Measure {
  const pids = new Set(senders.map(({ replica }) => replica.pid));
  return () =>
    loaded(senders, 1, async (run) => {
      const before = await cpuSeconds(pids);
      await run();
      return items / ((await cpuSeconds(pids)) - before);
    });
}

async function cpuSeconds(pids: ReadonlySet<number>): Promise<number> {
  const times = await Promise.all(Array.from(pids, cpuMicroseconds));
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

async function entriesByWorker({ baseUrl }: Replica): Promise<Result> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const found = text.matchAll(/^eaas_audit_entries_total\{worker="\d+"\} (\d+)$/gm);
  const [least = 0, most = 0] = Array.from(found, ([, count]) => Number(count)).toSorted((a, b) => a - b);
  return resultOf([{ ours: least, reference: most }]);
}
