import { metric } from '@eaas/server/internal';
import { expect, it } from 'vitest';
import { mergeMetrics } from './merge-metrics.ts';

it('the samples of all workers follow the HELP and TYPE lines of their metric', () => {
  const ofWorker = (count: number): string =>
    metric('counter', 'eaas_plain_total', 'A sum.', count) +
    metric('gauge', 'eaas_held', 'Held units.', [['{resource="a b"}', count]]) +
    metric('counter', 'eaas_empty_total', 'No samples.', []);
  const merged = mergeMetrics(
    new Map([
      [1, ofWorker(10)],
      [2, ofWorker(20)],
    ]),
  );
  expect(merged).toBe(`# HELP eaas_plain_total A sum.
# TYPE eaas_plain_total counter
eaas_plain_total{worker="1"} 10
eaas_plain_total{worker="2"} 20
# HELP eaas_held Held units.
# TYPE eaas_held gauge
eaas_held{worker="1",resource="a b"} 10
eaas_held{worker="2",resource="a b"} 20
# HELP eaas_empty_total No samples.
# TYPE eaas_empty_total counter
`);
});
