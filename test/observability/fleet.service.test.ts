import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anchorsOf, codesIn, linksOf, read, rowsUnder } from '../docs/markdown.ts';
import { openWorld, settle, type World } from '../setup/world.ts';
import { alerts } from './alerts.ts';
import { dashboard, expressions } from './dashboard.ts';
import { metricsIn } from './promql.ts';

const manual = read('packages/server/README.md');

let world: World;
let text: string;
let names: ReadonlySet<string>;
beforeAll(async () => {
  world = await openWorld('2026-03-01T00:00:00Z');
  const service = world.replica();
  await settle(service, 'ann');
  const url = await world.serve(service);
  await (await fetch(`${url}/v1/keys`)).text();
  text = await (await fetch(`${url}/metrics`)).text();
  const found = Array.from(text.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type]) =>
    type === 'histogram' ? [name, `${name}_bucket`] : [name],
  );
  // Adds the metric that only a server with several workers has.
  names = new Set([...found.flat(), 'eaas_worker_restarts_total']);
});
afterAll(() => world.close());

test('the manual’s table of metrics lists exactly the metrics of the server', () => {
  const listed = rowsUnder(manual, 'metric').flatMap(([cell = '']) => codesIn(cell));
  const expected = Array.from(names).filter((name) => !name.endsWith('_bucket'));
  expect(listed.toSorted()).toEqual(expected.toSorted());
});

test('every metric of an alert exists in /metrics', () => {
  const used = alerts.flatMap(({ expression }) => metricsIn(expression));
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !names.has(name))).toEqual([]);
});

test('every metric of the dashboard exists in /metrics', () => {
  const used = expressions.flatMap(metricsIn);
  expect(used.length).toBeGreaterThan(30);
  expect(used.filter((name) => !names.has(name))).toEqual([]);
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

describe('the alerting rules', () => {
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

  test('the runbook of each alert is a section of the manual’s runbook', () => {
    const [, runbook = ''] = /^## Runbook\n([^]*?)^## /m.exec(manual) ?? [];
    const sections = new Set(Array.from(runbook.matchAll(/^### (.*)$/gm), ([, title]) => title));
    expect(alerts.filter((alert) => !sections.has(alert.runbook))).toEqual([]);
  });

  test('each alert fires in a unit test of the rules', () => {
    const tested = ['alerts', 'slow-alerts']
      .map((name) => read(`test/observability/${name}.test.yml`))
      .join('');
    const fired = new Set(Array.from(tested.matchAll(/alertname="(\w+)"/g), ([, name]) => name));
    expect(alerts.filter(({ name }) => !fired.has(name)).map(({ name }) => name)).toEqual([]);
  });
});

describe('the dashboard', () => {
  test('each panel has an id, a title, a description, and queries with the variables of the dashboard', () => {
    const { panels, templating } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'job', 'instance']);
    const datasource = { type: 'prometheus', uid: '${datasource}' };
    for (const panel of panels.filter(({ type }) => type !== 'row')) {
      expect(['stat', 'timeseries']).toContain(panel.type);
      expect(panel).toMatchObject({ title: expect.any(String), description: expect.any(String), datasource });
      expect(panel.targets).not.toEqual([]);
      for (const target of panel.targets ?? []) {
        expect(target).toMatchObject({ datasource, refId: expect.stringMatching(/^[A-Z]$/) });
        expect(target.expr).toContain('{job=~"$job",instance=~"$instance"}');
      }
    }
  });

  test('each panel has a unit: a rate is per second, and a time is in seconds', () => {
    for (const { title, type, targets = [], fieldConfig } of dashboard.panels) {
      if (type === 'row') continue;
      const { unit = '' } = fieldConfig?.defaults ?? {};
      const isRate = targets.some(
        ({ expr }) => expr.includes('rate(') && !expr.includes('histogram_quantile('),
      );
      const isTime = targets.some(({ expr }) => expr.includes('_seconds'));
      const expected = isRate ? ['reqps', 'ops'] : isTime ? ['s'] : ['none', 'bytes', 'percentunit', 'short'];
      expect({ title, unit: expected.includes(unit) ? expected : unit }).toEqual({ title, unit: expected });
    }
  });

  test('the panels fill a grid of 24 columns without overlaps', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from({ length: w * h }, (_, nth) => `${x + (nth % w)} ${y + Math.floor(nth / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
  });
});
