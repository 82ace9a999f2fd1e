import { inspect } from 'node:util';
import { endpoints, formatApiKey, type Route } from '@eaas/protocol/wire';
import type { TestFailure } from '@eaas/local';
import { failureOf } from '@eaas/test-kit/failure-of';
import { describe, expect, test, vi } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { retryAtOnce } from '@eaas/test-kit/retry-at-once';
import { createTransport, type TransportOptions } from './transport.ts';
import { EaasError, type SdkError } from '../index.ts';

const problemBody = (code: string, status: number): Response =>
  Response.json({ type: 'about:blank', title: '', status, detail: 'Do this next.', code }, { status });

function answered(answer: (attempt: number) => Response | Promise<Response>, more: TransportOptions = {}) {
  const sent: Request[] = [];
  const fetch: TransportOptions['fetch'] = async (input, init) => {
    const request = new Request(input, init);
    sent.push(request);
    return answer(sent.length);
  };
  const options = { baseUrl: 'https://eaas.example/', fetch, ...more };
  const call = createTransport(
    options,
    (_, input, send) => send({}, input),
    () => undefined,
  );
  return { call, sent };
}

const send = (call: ReturnType<typeof createTransport>, route: Route): Promise<unknown> =>
  call(route, { key_id: 'k', api_key_id: 'a' });
const once = new Set<Route>([
  'POST /v1/encrypt',
  'POST /v1/keys',
  'DELETE /v1/keys/:key_id',
  'POST /v1/keys/:key_id/rotate',
  'POST /v1/keys/:key_id/disable',
  'POST /v1/keys/:key_id/enable',
  'POST /v1/keys/:key_id/restore',
  'POST /v1/keys/:key_id/export',
  'POST /v1/api-keys',
  'POST /v1/issuers',
]);

describe.each(Object.keys(endpoints) as Route[])('%s', (route) => {
  retryAtOnce();
  const times = once.has(route) ? 1 : 3;
  test(`the request ${route} is sent ${times === 1 ? 'once' : 'up to three times'} if the network fails`, async () => {
    const { call, sent } = answered(() => Promise.reject(new TypeError('connection refused')));
    expect(await failureOf<SdkError>(send(call, route))).toMatchObject({ code: 'network', retryable: true });
    expect(sent).toHaveLength(times);
  });

  test.each([
    ['key_state', 409],
    ['quota_exceeded', 429],
  ] as const)(`the request ${route} is never sent again after %s`, async (code, status) => {
    const { call, sent } = answered(() => problemBody(code, status));
    expect(await failureOf<SdkError>(send(call, route))).toMatchObject({ code, status, retryable: false });
    expect(sent).toHaveLength(1);
  });
});

const wrap = 'POST /v1/keys/:key_id/wrap';
const wrapped = { wrapped_key: 'x', key_id: 'k', key_version: 1 };

test('retries wait a random part of 300 ms, 600 ms, 1.2 s and then 2 s', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.999);
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const at: number[] = [];
  const { call } = answered(() => (at.push(Date.now()), problemBody('unavailable', 503)), { retries: 5 });
  const calling = failureOf<SdkError>(send(call, wrap));
  await vi.advanceTimersByTimeAsync(20_000);
  await calling;
  vi.useRealTimers();
  vi.restoreAllMocks();
  const waits = at.slice(1).map((time, nth) => time - (at[nth] ?? 0));
  expect(waits).toEqual([300, 600, 1_200, 2_000, 2_000].map((most) => Math.floor(most * 0.999)));
});

test.each([
  ['60', 5_000],
  ['Thu, 01 Jan 2026 00:00:04 GMT', 4_000],
])('a retry waits for the time in Retry-After, at most five seconds: %s', async (after, milliseconds) => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.UTC(2026, 0) });
  const headers = { 'retry-after': after };
  const { call, sent } = answered((attempt) =>
    attempt === 1 ? new Response('{}', { status: 503, headers }) : Response.json(wrapped),
  );
  const calling = send(call, wrap);
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toHaveLength(2);
  await calling;
  vi.useRealTimers();
});

test('a call sends no request after its deadline', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const { call, sent } = answered(
    () => new Response('{}', { status: 503, headers: { 'retry-after': '5' } }),
    { timeouts: { total: 1_000 } },
  );
  const calling = failureOf<SdkError>(send(call, wrap));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await calling).toMatchObject({ code: 'timeout' });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toHaveLength(1);
  vi.useRealTimers();
});

test('a call throws `invalid_response` if the response is a redirect', async () => {
  const { call, sent } = answered(() => Response.redirect('https://elsewhere.example/', 307), { retries: 0 });
  expect(await failureOf<SdkError>(send(call, wrap))).toMatchObject({ code: 'invalid_response' });
  expect(sent).toHaveLength(1);
});

test('the id in the path of a request is encoded', async () => {
  const { call, sent } = answered(() => Response.json({ ...wrapped, key_id: '../secrets' }));
  await call(wrap, { key_id: '../secrets', dek: 'd' });
  expect(sent[0]?.url).toBe('https://eaas.example/v1/keys/..%2Fsecrets/wrap');
});

describe('secrets in errors and events', () => {
  retryAtOnce();
  const secrets = {
    apiKey: formatApiKey(new Uint8Array(32).fill(7)),
    plaintext: 'plaintext that nobody may see',
  };
  test.each<TestFailure>([
    'network',
    'timeout',
    'invalid_response',
    'bad_request',
    'unauthorized',
    'unavailable',
  ])('after %s, no secret is in the errors, events, log lines or the client object', async (failure) => {
    const { service, make, keyId } = await observedClient();
    const seen: unknown[] = [];
    const bodies: string[] = [];
    const fetch: TransportOptions['fetch'] = async (input, init) => {
      const request = new Request(input, init);
      bodies.push(await request.clone().text());
      request.headers.set('authorization', `Bearer ${service.apiKey}`);
      const response = await service.fetch(request);
      response.headers.delete('retry-after');
      return response;
    };
    const observe = (...what: unknown[]): void => void seen.push(...what);
    const client = make({
      apiKey: secrets.apiKey,
      fetch,
      retries: 1,
      timeouts: { total: 6_000, attempt: 50 },
      onEvent: observe,
      logger: { debug: observe, warn: observe },
    });
    const ciphertext = await client.encrypt(secrets.plaintext);
    service.failNext(failure, { times: 10 });
    const calls = [
      client.encrypt(secrets.plaintext, { fresh: true }),
      client.decrypt(ciphertext),
      client.hash(secrets.plaintext),
      client.serverMode.encrypt({ plaintext: secrets.plaintext, key_id: keyId }),
    ];
    for (const result of await Promise.allSettled(calls)) {
      if (result.status === 'fulfilled') throw new Error('it should have failed');
      expect(result.reason).toBeInstanceOf(EaasError);
      seen.push(result.reason);
    }
    const deks = bodies.join().match(/[\w+/]{43}=/g) ?? [];
    expect(deks.length).toBeGreaterThan(0);
    const shown = [...seen, client]
      .map((value) => inspect(value, { depth: 10, showHidden: true }) + JSON.stringify(value) + String(value))
      .join('\n');
    for (const secret of [...Object.values(secrets), ...deks]) expect(shown).not.toContain(secret);
  });
});

test('the error of a call does not show what the function `apiKey` threw', async () => {
  const { service, make } = await observedClient();
  let asked = 0;
  const client = make({ apiKey: async () => (asked++, service.apiKey) });
  await client.hash('x');
  await client.hash('x');
  expect(asked).toBe(2);
  const failing = make({
    apiKey: () => {
      throw new Error('vault token s.1234');
    },
  });
  const error = await failureOf<SdkError>(failing.hash('x'));
  expect(error.code).toBe('unauthorized');
  expect(inspect(error, { depth: 10 })).not.toContain('s.1234');
  const missing = make({ apiKey: async () => undefined as unknown as string });
  expect(await failureOf<SdkError>(missing.hash('x'))).toMatchObject({ code: 'input' });
});

test('a network error shows only the code of the system error that caused it', async () => {
  const refused = Object.assign(new Error('connect 10.0.0.1:5432 secret'), { code: 'ECONNREFUSED' });
  const { client } = await observedClient({
    retries: 0,
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause: refused })),
  });
  const error = await failureOf<SdkError>(client.hash('x'));
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('secret');
  expect(error.message).toMatch(
    /^the service could not be reached at https:\/\/[\w.]+ \(ECONNREFUSED\): is it running, and is its URL right\?$/,
  );
  vi.stubGlobal('location', { origin: 'https://app.example' });
  await expect(client.hash('x')).rejects.toThrow(
    '): do the `allowed_origins` lack https://app.example, is it',
  );
  vi.unstubAllGlobals();
  for (const code of ['eaas_sk_1', 'TOKEN eaas_sk_1']) {
    const silent = await observedClient({
      retries: 0,
      fetch: () => Promise.reject(new TypeError('x', { cause: { code } })),
    });
    await expect(silent.client.hash('x')).rejects.toThrow(/reached at https:\/\/[\w.]+: is it/);
  }
});
