import { expect, test } from 'vitest';
import { codesIn, read, rowsUnder } from '@eaas/test-kit/markdown';
import { alerts } from '@eaas/test-kit/alerts';
import { expressions } from './dashboard.ts';
import { metricsIn } from './promql.ts';

// `npm run generate` writes this table from the metrics themselves.
const rows = rowsUnder(read('docs/operating/metrics.md'), 'metric');

const names = rows.flatMap(([name = '', type]) => codesIn(name).map((one) => ({ name: one, type })));

test('alerts and dashboard use metrics of /metrics, and every gauge and counter', () => {
  const used = new Set([...alerts.map(({ expression }) => expression), ...expressions].flatMap(metricsIn));
  expect(names.filter(({ name, type }) => type !== 'histogram' && !used.has(name))).toEqual([]);
  const ours = [...used]
    .filter((name) => name.startsWith('eaas_'))
    .map((name) => name.replace(/_bucket$/, ''));
  expect(ours.length).toBeGreaterThan(20);
  expect(ours.filter((used) => !names.some(({ name }) => name === used))).toEqual([]);
});

test('no metric has a label with a tenant', () => {
  const labels = new Set(rows.flatMap(([, , cell = '']) => codesIn(cell)));
  const known = ['action', 'job', 'method', 'pool', 'resource', 'route', 'status', 'witness'];
  expect([...labels].toSorted()).toEqual(known);
});
