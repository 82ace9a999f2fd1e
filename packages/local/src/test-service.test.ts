import { inspect } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { checkAudit } from '@eaas/audit';
import { EaasClient, EaasError, ServiceError } from '@eaas/sdk';
import { ask } from '../test/ask.ts';
import { createTestService, type TestService } from './test-service.ts';

afterEach(() => void vi.useRealTimers());

const day = 24 * 60 * 60 * 1_000;

function clientOf(service: TestService, apiKey = service.apiKey): EaasClient {
  const { baseUrl, fetch } = service;
  return new EaasClient({ baseUrl, apiKey, fetch, retries: 0 });
}

async function open(...options: Parameters<typeof createTestService>) {
  const service = createTestService(...options);
  const { key_id: keyId } = await service.createKey('customers');
  return { service, keyId, client: clientOf(service) };
}

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'no error',
    (error: unknown) => (error instanceof EaasError ? error.code : error),
  );
}

test('JSON and logs of a test service have no API key, and a spread of it is what a client takes', () => {
  const service = createTestService();
  const logged = { level: 'debug', service };
  for (const shown of [
    JSON.stringify(logged),
    inspect(logged, { depth: 9 }),
    inspect(service, { showHidden: true, getters: true, depth: 9 }),
  ]) {
    expect(shown).not.toContain(service.apiKey);
  }
  expect(Object.keys({ ...service })).toEqual(['baseUrl', 'apiKey', 'fetch']);
});

test('`requests` of a test service contains the number of items in a batch, but no secret', async () => {
  const { service, keyId, client } = await open();
  const values = ['ada@example.com', 'bob@example.com'];
  await Promise.all(values.map((value) => client.hash(value, { keyId })));
  await client.encrypt('a secret', { keyId });
  expect(service.requests[0]).toStrictEqual({ route: 'POST /v1/batch/hash', items: 2, status: 200 });
  const shown = inspect(service.requests, { depth: 10, showHidden: true });
  for (const secret of ['a secret', service.apiKey, ...values]) expect(shown).not.toContain(secret);
});

test.each(['unavailable', 'audit_unwritten', 'quota_exceeded', 'network', 'invalid_response'] as const)(
  '`failNext` makes a call fail with %s',
  async (code) => {
    const { service, keyId, client } = await open();
    service.failNext(code);
    expect(await codeOf(client.hash('x', { keyId }))).toBe(code);
    expect(await codeOf(client.hash('x', { keyId }))).toBe('no error');
  },
);

test('`failNext` can be limited to a route and to a number of calls', async () => {
  const { service, keyId, client } = await open();
  service.failNext('unavailable', { times: 2, route: 'GET /v1/keys' });
  service.failNext('key_state');
  expect(await codeOf(client.hash('x', { keyId }))).toBe('key_state');
  const codes = [1, 2, 3].map(() => codeOf(client.keys.page()));
  expect(await Promise.all(codes)).toStrictEqual(['unavailable', 'unavailable', 'no error']);
  expect(await codeOf(client.hash('x', { keyId }))).toBe('no error');
});

test('with `answer_lost`, the call takes effect but the response does not arrive', async () => {
  const { service, client } = await open();
  service.failNext('answer_lost');
  expect(await codeOf(client.keys.create({ name: 'orders' }))).toBe('network');
  expect(await codeOf(client.keys.create({ name: 'orders' }))).toBe('name_taken');
  expect(service.requests.map(({ status }) => status)).toStrictEqual([null, 409]);
});

test('after `failNext` with `timeout`, a call gets no response and waits until its signal aborts', async () => {
  const { service, keyId, client } = await open();
  service.failNext('timeout', { route: 'GET /v1/keys' });
  const given = new AbortController();
  const call = codeOf(client.keys.page({}, { signal: given.signal }));
  expect(await codeOf(client.hash('x', { keyId }))).toBe('no error');
  given.abort();
  expect(await call).toBe('aborted');
});

test('`advance` of a test service performs the rotations, destructions and expiries that are due', async () => {
  const time = Date.parse('2026-11-20T10:00:00.000Z');
  const { service, keyId, client } = await open({ now: () => time });
  const { key_id } = await service.createKey('orders', { rotation_policy: { interval_days: 30 } });
  const expires_at = new Date(time + day).toISOString();
  const { api_key } = await service.createApiKey({ permissions: ['keys.read'], expires_at });
  await client.keys.disable(keyId);
  await client.keys.destroy(keyId);
  expect(await codeOf(clientOf(service, api_key).keys.page())).toBe('no error');
  service.advance(30 * day);
  expect(await codeOf(clientOf(service, api_key).keys.page())).toBe('unauthorized');
  expect(await client.keys.get(key_id)).toMatchObject({
    key_version: 2,
    rotated_at: '2026-12-20T10:00:00.000Z',
  });
  expect(await client.keys.get(keyId)).toMatchObject({ status: 'destroyed' });
  const { logs } = await client.audit.page({ limit: 2 });
  expect(logs).toMatchObject([
    { action: 'key.rotate', actor: 'system', created_at: '2026-12-20T10:00:00.000Z' },
    { action: 'key.destroy', actor: 'system', metadata: { erased: true } },
  ]);
});

test('`advance` throws for an invalid time, and the test service keeps working', async () => {
  const { service, client } = await open();
  for (const given of [Number.NaN, -1]) {
    expect(() => service.advance(given)).toThrow('the argument of `advance` must be a number from 0');
  }
  expect(await codeOf(client.keys.page())).toBe('no error');
});

test('`setTenant` of a test service sets `envelopeOnly` and the quota', async () => {
  const { service, keyId, client } = await open({ monthlyEncryptQuota: 1 });
  const encrypt = () => codeOf(client.serverMode.encrypt({ key_id: keyId, plaintext: 'x' }));
  expect([await encrypt(), await encrypt()]).toStrictEqual(['no error', 'quota_exceeded']);
  await service.setTenant({ monthlyEncryptQuota: null });
  expect(await encrypt()).toBe('no error');
  await service.setTenant({ envelopeOnly: true });
  expect(await encrypt()).toBe('envelope_only');
  expect(await codeOf(client.encrypt('x', { keyId }))).toBe('no error');
});

test('`createKey` and `createApiKey` of a test service throw the same errors as a client', async () => {
  const { service } = await open();
  await expect(service.createKey('customers')).rejects.toThrow(
    expect.objectContaining({ code: 'name_taken', status: 409 }),
  );
  await expect(service.createApiKey({ permissions: [] })).rejects.toThrow(ServiceError);
});

test('the test service verifies its audit log and finds an altered entry', async () => {
  const { service, keyId, client } = await open();
  await client.encrypt('a secret', { keyId });
  expect(await checkAudit(client)).toMatchObject({ ok: true, checked: 3 });
  expect(await client.audit.verify()).toMatchObject({ valid: true });
  service.tamper(2, { actor: 'nobody' });
  expect(await checkAudit(client)).toMatchObject({ ok: false });
  expect(await client.audit.verify()).toMatchObject({
    valid: false,
    errors: [{ id: 2, reason: 'entry_changed' }],
  });
  expect(() => service.tamper(99, {})).toThrow(ServiceError);
});

test('the log begins with one entry about `apiKey`, even if the first calls arrive at once', async () => {
  const service = createTestService();
  const client = clientOf(service);
  await Promise.all([service.createKey('customers'), service.createKey('orders'), client.keys.page()]);
  expect(await client.audit.verify()).toMatchObject({ valid: true });
  const { logs } = await client.audit.page();
  expect(logs.map(({ action }) => action)).toEqual(['key.create', 'key.create', 'api_key.create']);
});

test('`failNext` throws InputError for an unknown failure or route', () => {
  const service = createTestService();
  expect(() => service.failNext('unavailible' as 'unavailable')).toThrow('unknown failure `unavailible`');
  expect(() => service.failNext('network', { route: 'POST /v1/wrap' as 'POST /v1/hash' })).toThrow(
    'unknown route `POST /v1/wrap`',
  );
});

test('the `fetch` of a test service fails for a URL outside its `baseUrl`', async () => {
  const service = createTestService();
  for (const address of ['https://eaas.test.example.com/v1/keys', 'http://eaas.test/']) {
    await expect(service.fetch(address)).rejects.toThrow(TypeError);
  }
});

test('the test service responds even if a test has replaced the timers', async () => {
  vi.useFakeTimers();
  const { client, keyId } = await open();
  expect(await client.hash('x', { keyId })).toHaveLength(64);
});

test('the test service returns 404 for a path that is not percent-encoded UTF-8', async () => {
  const service = createTestService();
  expect(await ask(service, 'GET /v1/keys/100%')).toMatchObject({ status: 404, code: 'not_found' });
});
