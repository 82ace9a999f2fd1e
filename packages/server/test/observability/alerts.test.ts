import { expect, test } from 'vitest';
import { read } from '@eaas/test-kit/markdown';
import { alerts, alertTests } from '@eaas/test-kit/alerts';

test('each alert fires in a unit test of the rules', () => {
  expect(alerts.length).toBe(read('examples/observability/alerts.yml').match(/- alert:/g)?.length);
  const tested = alertTests.map(read).join('');
  const fired = new Set(Array.from(tested.matchAll(/alertname="(\w+)"/g), ([, name]) => name));
  expect(alerts.filter(({ name }) => !fired.has(name)).map(({ name }) => name)).toEqual([]);
});
