import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { closing } from '@eaas/test-kit/closing';
import { eaasImporting, moduleOf } from '@eaas/test-kit/program';
import { call, type Place, send } from '@eaas/test-kit/faults/client';
import { newKey, operate, startReplica } from '@eaas/test-kit/faults/place';
import { createDatabase } from '@eaas/test-kit/database';
import { attributesOf, type Span, startCollector } from './collector.ts';
import { telemetryFolder } from '@eaas/test-kit/with-telemetry';

const database = await createDatabase();
const operator = await closing(operate(database.url), (it) => it.close());
const collector = await startCollector();
const place = await closing(telemetryFolder(), (it) => it.remove());
const env = { ...operator.env, ...collector.env, EAAS_LOG_LEVEL: 'info' };
const server = await closing(startReplica(env, place.program), (it) => it.kill());
const tenant = await operator.newTenant();
const keyId = await newKey(server, tenant.token);

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');

async function traceOf(traceId: string): Promise<Span[]> {
  const found = () => collector.spans.filter((span) => span.traceId === traceId);
  // Waits for the span of the request, which ends after all other spans of the trace.
  await expect.poll(() => found().some(({ kind }) => kind === 2)).toBe(true);
  return found();
}

async function traced(path: string, body: object, { port }: Place = server, token = tenant.token) {
  const [traceId, parentId] = [hex(16), hex(8)];
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-${parentId}-01`,
    },
    body: JSON.stringify(body),
  });
  await response.text();
  return { traceId, parentId, status: response.status };
}

test('the trace of a request has spans from the client’s span down to the work of the database', async () => {
  const dek = randomBytes(32).toString('base64');
  const { traceId, parentId } = await traced(`/v1/keys/${keyId}/wrap`, { dek });
  const spans = await traceOf(traceId);
  const named = (name: string): Span => {
    const span = spans.find((one) => one.name === name);
    if (!span) {
      throw new Error(`expected a span named ${name} (got ${spans.map((one) => one.name).join(', ')})`);
    }
    return span;
  };
  const parentOf = (span: Span) => spans.find(({ spanId }) => spanId === span.parentSpanId)?.name;
  const request = named('POST /v1/keys/:key_id/wrap');
  expect(request).toMatchObject({ parentSpanId: parentId, kind: 2 });
  expect(attributesOf(request)).toEqual({
    'http.request.method': 'POST',
    'http.route': '/v1/keys/:key_id/wrap',
    'http.response.status_code': 200,
    'eaas.tenant_id': tenant.tenantId,
    'eaas.actor': tenant.apiKeyId,
  });
  for (const child of ['admit', 'admission.wait', 'body.read', 'operation', 'serialize']) {
    expect(parentOf(named(child))).toBe(request.name);
  }
  // The append of several requests belongs to the trace of one of them. `admit` works with the database too if a job has written.
  expect(spans.filter(({ name }) => name === 'database.work').map(parentOf)).toContain('operation');
  for (const span of spans) {
    expect(BigInt(span.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(request.startTimeUnixNano));
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
  }
  expect(server.log()).toMatch(new RegExp(`"tenant_id":"${tenant.tenantId}","trace_id":"${traceId}"`));
});

test('the span of a refused request has an error code but no error status', async () => {
  const { traceId, status } = await traced(`/v1/keys/${crypto.randomUUID()}/wrap`, { dek: 'AAAA' });
  expect(status).toBeGreaterThanOrEqual(400);
  const request = (await traceOf(traceId)).find(({ kind }) => kind === 2);
  expect(attributesOf(request ?? {})['error.type']).toMatch(/^(?:not_found|bad_request)$/);
  expect(request?.status?.code ?? 0).toBe(0);
});

test('no export contains a plaintext, a data key, a token, a context, a subject or a user', async () => {
  const canaries = Array.from({ length: 6 }, () => `canary-${hex(12)}`);
  const [plaintext = '', context = '', hashed = '', name = '', subject = '', user = ''] = canaries;
  const dek = randomBytes(32).toString('base64');
  const wrap = await call<{ wrapped_key: string }>(server, tenant.token, 'POST', `/v1/keys/${keyId}/wrap`, {
    dek,
    context: { row: context },
  });
  const bodies: [string, object][] = [
    [`/v1/keys/${keyId}/unwrap`, { wrapped_key: wrap.wrapped_key, context: { row: context } }],
    [`/v1/keys/${keyId}/unwrap`, { wrapped_key: wrap.wrapped_key, context: { row: 'wrong' } }],
    ['/v1/encrypt', { key_id: keyId, plaintext, subject, user }],
    ['/v1/subjects/erase', { subject }],
    ['/v1/encrypt', { key_id: keyId, plaintext, subject, user: `${user}\n` }],
    ['/v1/hash', { key_id: keyId, value: hashed }],
    ['/v1/keys', { name }],
    ['/v1/keys', { name, unknown: plaintext }],
  ];
  let last = '';
  for (const [path, body] of bodies) ({ traceId: last } = await traced(path, body));
  const stranger = `eaas_sk_${'A'.repeat(49)}`;
  await traced('/v1/encrypt', { key_id: keyId, plaintext }, server, stranger);
  await send(server, tenant.token, 'GET', `/v1/audit?${plaintext}=1`);
  await traceOf(last);
  await expect.poll(() => collector.metrics.size).toBeGreaterThan(20);
  const exported = collector.text();
  expect(exported.length).toBeGreaterThan(10_000);
  const secrets = [...canaries, dek, wrap.wrapped_key, tenant.token, stranger, operator.env.EAAS_ROOT_KEY];
  expect(secrets.filter((secret) => exported.includes(secret))).toEqual([]);
});

test('OpenTelemetry exports the same counters as /metrics', async () => {
  const ofMetrics = async (): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text();
    return Number(/^eaas_audit_entries_total (\d+)$/m.exec(text)?.[1]);
  };
  expect(await ofMetrics()).toBeGreaterThan(4);
  const exported = () => collector.metrics.get('eaas_audit_entries_total')?.sum?.dataPoints[0];
  // The count in /metrics can grow during the test, because jobs of the server also write entries.
  await expect
    .poll(async () => Number(exported()?.asDouble ?? exported()?.asInt) - (await ofMetrics()))
    .toBe(0);
  expect(collector.metrics.get('eaas_audit_entries_total')?.sum?.isMonotonic).toBe(true);
  const pools = collector.metrics.get('eaas_database_connections_limit')?.gauge?.dataPoints ?? [];
  expect(pools.map((point) => attributesOf(point)['pool'])).toEqual(['database', 'reads', 'background']);
  const durations = collector.metrics.get('http.server.request.duration')?.histogram?.dataPoints ?? [];
  const routes = durations.map((point) => attributesOf(point)['http.route']);
  expect(routes).toContain('/v1/keys/:key_id/wrap');
});

test('without a registered OpenTelemetry SDK, the server does not load the OpenTelemetry API', async () => {
  const refuse = `export async function resolve(name, context, next) {
    if (name.startsWith('@opentelemetry/')) throw new Error('the server loads ' + name);
    return next(name, context);
  }`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(moduleOf(refuse))});`;
  const without = await startReplica(operator.env, eaasImporting(moduleOf(register)));
  onTestFinished(() => without.kill());
  const { status } = await traced('/v1/keys', { name: hex(8) }, without);
  expect(status).toBe(201);
  const refused = eaasImporting(moduleOf(register), `${place.folder}/telemetry.mjs`);
  await expect(startReplica(operator.env, refused)).rejects.toThrow('the server loads @opentelemetry/');
});
