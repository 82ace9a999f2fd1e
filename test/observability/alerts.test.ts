import { expect, test } from 'vitest';
import { anchorsOf, codesIn, linksOf, read, rowsUnder } from '../docs/markdown.ts';
import { alerts, alertTests } from './alerts.ts';

const manual = read('packages/server/README.md');

test('each alert has one row in the manual’s table of alarms, with its severity and its runbook', () => {
  const rows = rowsUnder(manual, 'alarm').map(([name = '', severity, , link = '']) => ({
    name: codesIn(name)[0],
    severity,
    anchor: linksOf(link)[0]?.slice(1),
  }));
  const expected = alerts.map(({ name, severity, runbook }) => ({
    name,
    severity,
    anchor: anchorsOf(`# ${runbook}`)[0],
  }));
  expect(rows).toEqual(expected);
  expect(alerts.length).toBe(read('examples/observability/alerts.yml').match(/- alert:/g)?.length);
});

test('the manual has the runbook section that each alert names', () => {
  const [, runbook = ''] = /^## Runbook\n([^]*?)^## /m.exec(manual) ?? [];
  const sections = new Set(Array.from(runbook.matchAll(/^### (.*)$/gm), ([, title]) => title));
  expect(alerts.filter((alert) => !sections.has(alert.runbook))).toEqual([]);
});

test('each alert fires in a unit test of the rules', () => {
  const tested = alertTests.map(read).join('');
  const fired = new Set(Array.from(tested.matchAll(/alertname="(\w+)"/g), ([, name]) => name));
  expect(alerts.filter(({ name }) => !fired.has(name)).map(({ name }) => name)).toEqual([]);
});
