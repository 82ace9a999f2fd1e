import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { call, send } from '@eaas/test-kit/faults/client';
import { newKey, operate, startReplica } from '@eaas/test-kit/faults/place';
import { createDatabase } from '@eaas/test-kit/database';
import { alerts } from '@eaas/test-kit/alerts';
import { queries } from './dashboard.ts';
import { labelsIn, labelsOf, metricsIn } from './promql.ts';

const database = await createDatabase();
const operator = await closing(operate(database.url), (it) => it.close());
const server = await closing(startReplica(operator.env), (it) => it.kill());
const { token } = await operator.newTenant();
const keyId = await newKey(server, token);
const dek = randomBytes(32).toString('base64');
const post = (path: string, body: object) => call<Record<string, string>>(server, token, 'POST', path, body);
const { wrapped_key } = await post(`/v1/keys/${keyId}/wrap`, { dek });
await post(`/v1/keys/${keyId}/unwrap`, { wrapped_key });
const { ciphertext } = await post('/v1/encrypt', { key_id: keyId, plaintext: 'x' });
await post('/v1/decrypt', { key_id: keyId, key_version: 1, ciphertext });
await send(server, token, 'GET', '/v1/keys/unknown');
// Waits until the nightly verification has run, because jobs have metrics only after their first run.
const page = await vi.waitFor(async () => {
  const text = await (await fetch(`${server.baseUrl}/metrics`)).text();
  if (!/^eaas_job_last_success_timestamp_seconds\{[^}]*job="verify"[^}]*\} [1-9]/m.test(text)) {
    throw new Error('expected metrics of the nightly verification (got none)');
  }
  return text;
}, 250_000);
const labels = labelsOf(page);

const asQueries = [
  ...queries,
  // The server of the test has no public log.
  ...alerts
    .filter(({ expression }) => !expression.includes('eaas_log_'))
    .map(({ expression, summary }) => ({
      expression,
      legend: summary
        .replaceAll(/\{\{\s*\$labels\.(\w+)\s*\}\}/g, '{{$1}}')
        .replaceAll(/\{\{\s*\$value[^}]*\}\}/g, ''),
    })),
];

test('a server with traffic exports each metric and each label of the dashboard and of the alerts', () => {
  expect(asQueries.length).toBeGreaterThan(40);
  const metrics = asQueries.flatMap(({ expression }) => metricsIn(expression));
  expect(metrics.filter((metric) => !labels.has(metric))).toEqual([]);
  const uses = asQueries.flatMap(({ expression, legend }) => labelsIn(expression, legend));
  expect(uses.length).toBeGreaterThan(100);
  const wrong = uses.filter(
    ({ metric, label }) => metric.startsWith('eaas_') && !labels.get(metric)?.has(label),
  );
  expect(wrong).toEqual([]);
});

test('every action in the query of an alert is an action of the server', () => {
  const named = alerts.flatMap(({ expression }) =>
    Array.from(expression.matchAll(/action=~"([^"]+)"/g), ([, names = '']) => names.split('|')).flat(),
  );
  expect(new Set(named).size).toBeGreaterThan(1);
  expect(named.filter((name) => !page.includes(`action="${name}"`))).toEqual([]);
});
