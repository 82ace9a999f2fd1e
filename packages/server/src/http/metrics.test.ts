import { Counter, Gauge, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { mergeMetrics } from './metrics.ts';

async function measuredBy(worker: number) {
  const registers = [new Registry()];
  new Counter({ name: 'eaas_plain_total', help: 'A sum.', registers }).inc(worker * 10);
  new Gauge({ name: 'eaas_held', help: 'Held units.', labelNames: ['resource'], registers }).set(
    { resource: 'a b' },
    worker * 10,
  );
  const empty = new Counter({ name: 'eaas_empty_total', help: 'No samples.', labelNames: ['x'], registers });
  empty.reset();
  return [worker, (await registers[0]?.getMetricsAsJSON()) ?? []] as const;
}

it('the samples of all workers follow the HELP and TYPE lines of their metric', async () => {
  const text = await mergeMetrics(new Map(await Promise.all([measuredBy(1), measuredBy(2)])), 3);
  expect(text).toBe(`# HELP eaas_plain_total A sum.
# TYPE eaas_plain_total counter
eaas_plain_total{worker="1"} 10
eaas_plain_total{worker="2"} 20

# HELP eaas_held Held units.
# TYPE eaas_held gauge
eaas_held{worker="1",resource="a b"} 10
eaas_held{worker="2",resource="a b"} 20

# HELP eaas_empty_total No samples.
# TYPE eaas_empty_total counter

# HELP eaas_worker_restarts_total Workers that were started again because they had ended.
# TYPE eaas_worker_restarts_total counter
eaas_worker_restarts_total 3
`);
});
