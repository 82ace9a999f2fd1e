import { expect, test } from 'vitest';
import { dashboard } from './dashboard.ts';

test('each panel of the dashboard has an id, a title, a description, and queries with the dashboard’s variables', () => {
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
