import { expect, test } from 'vitest';
import { anchorsOf, codesIn, linksOf, read, rowsUnder } from '@eaas/test-kit/markdown';
import { alerts, alertTests } from '@eaas/test-kit/alerts';

const page = read('docs/operating/alarms.md');

test('each alert has one row in the manual’s table of alarms, with its severity and its runbook', () => {
  const rows = rowsUnder(page, 'alarm').map(([name = '', severity, , link = '']) => ({
    name: codesIn(name)[0],
    severity,
    anchor: linksOf(link)[0]?.split('#')[1],
  }));
  const expected = alerts.map(({ name, severity, runbook }) => ({
    name,
    severity,
    anchor: anchorsOf(`# ${runbook}`)[0],
  }));
  expect(rows).toEqual(expected);
  expect(alerts.length).toBe(read('examples/observability/alerts.yml').match(/- alert:/g)?.length);
});

test('each alert fires in a unit test of the rules', () => {
  const tested = alertTests.map(read).join('');
  const fired = new Set(Array.from(tested.matchAll(/alertname="(\w+)"/g), ([, name]) => name));
  expect(alerts.filter(({ name }) => !fired.has(name)).map(({ name }) => name)).toEqual([]);
});
