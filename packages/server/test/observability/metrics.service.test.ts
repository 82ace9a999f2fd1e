import { expect, test } from 'vitest';
import { codesIn, readManual, rowsUnder } from '@eaas/test-kit/markdown';
import { settle, testWorld } from '@eaas/test-kit/world';
import { alerts } from '@eaas/test-kit/alerts';
import { expressions } from './dashboard.ts';
import { metricsIn } from './promql.ts';

const manual = readManual();

const world = await testWorld('2026-03-01T00:00:00Z');
const service = world.replica();
await settle(service, 'ann');
const url = await world.serve(service);
await (await fetch(`${url}/v1/keys`)).text();
const text = await (await fetch(`${url}/metrics`)).text();
const found = Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type]) =>
  type === 'histogram' ? [name, `${name}_bucket`] : [name],
);
// `/metrics` of this test has no metrics of the public log.
const elsewhere = ['eaas_log_halted', 'eaas_log_witnessed_age_seconds', 'eaas_log_witness_failures_total'];
const names = new Set([...found.flat(), ...elsewhere]);

test('the manual’s table of metrics lists exactly the metrics of the server', () => {
  const listed = rowsUnder(manual, 'metric').flatMap(([cell = '']) => codesIn(cell));
  const expected = Array.from(names).filter((name) => !name.endsWith('_bucket'));
  expect(listed.toSorted()).toEqual(expected.toSorted());
});

test('every gauge and counter of /metrics is in an alert or on the dashboard', () => {
  const used = new Set([...alerts.map(({ expression }) => expression), ...expressions].flatMap(metricsIn));
  const plain = Array.from(names).filter((name) => !name.includes('duration_seconds'));
  expect(plain.filter((name) => !used.has(name))).toEqual([]);
});

test('no metric has a label with a tenant', () => {
  const labels = new Set(Array.from(text.matchAll(/[{,](\w+)="/g), ([, label = '']) => label));
  expect([...labels].toSorted()).toEqual(['action', 'le', 'method', 'pool', 'resource', 'route', 'status']);
});
