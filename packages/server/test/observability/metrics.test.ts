import { expect, test } from 'vitest';
import { codesIn, read, rowsUnder } from '@eaas/test-kit/markdown';
import { alerts, alertTests } from '@eaas/test-kit/alerts';
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
  expect(ours.filter((used) => !names.some(({ name }) => name === used))).toEqual([]);
});

test('no metric has a label with a tenant', () => {
  const labels = new Set(rows.flatMap(([, , cell = '']) => codesIn(cell)));
  expect([...labels].toSorted().join()).toBe('action,job,method,pool,resource,route,status,witness');
});

test('each alert fires in a unit test of the rules', () => {
  expect(alerts.length).toBe(read('examples/observability/alerts.yml').match(/- alert:/g)?.length);
  const tested = alertTests.map(read).join('');
  const fired = new Set(Array.from(tested.matchAll(/alertname="(\w+)"/g), ([, name]) => name));
  expect(alerts.filter(({ name }) => !fired.has(name)).map(({ name }) => name)).toEqual([]);
});
