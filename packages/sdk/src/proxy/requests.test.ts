// Which requests reach the service: of the paths, methods, origins and bodies that a page or an attacker can send.
import { endpoints, limits } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import { all, apiKey, dek, key, setUp, wrapPath } from '../../test/proxied.ts';
import { createProxy, type ProxyOptions } from './proxy.ts';

const own = 'https://app.example';
const batchPath = '/api/eaas/v1/batch/wrap';
const unasked = () => {
  throw new Error('asked');
};

interface Ask {
  readonly url?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array | ReadableStream | null;
  readonly options?: Partial<ProxyOptions>;
}

/** Sends a request of a page of the app, but for what is given, and checks that only a good one reaches the service. */
async function answerTo({ url = wrapPath, method = 'POST', headers, body, options }: Ask) {
  const { proxy, sent, events } = setUp(options);
  const from = headers ?? { 'sec-fetch-site': 'same-origin' };
  const request = new Request(new URL(url, own), {
    method,
    headers: { 'content-type': 'application/json', ...from },
    body: body === undefined ? JSON.stringify({ dek }) : body,
    duplex: 'half',
  } as RequestInit);
  const response = await proxy(request);
  const { status } = response;
  expect(sent).toHaveLength(status === 200 ? 1 : 0);
  const text = await response.text();
  const json = JSON.parse(text) as { code?: string; detail?: string };
  return { status, headers: response.headers, text, json, sent, events };
}

const otherRoutes = Object.keys(endpoints).filter((route) => !/\/(?:(?:un|re)?wrap|hash)$/.test(route));

test.each([
  '/',
  `${wrapPath}/`,
  `/api/eaas//v1/keys/${key}/wrap`,
  `//api/eaas/v1/keys/${key}/wrap`,
  `/api/eaasv1/keys/${key}/wrap`,
  `/api/eaas/v1/keys/${key}/WRAP`,
  `/api/eaas/v1/keys/${key}/wrap;a=b`,
  `/api/eaas/v1/keys/${key}%2fwrap`,
  `/api/eaas/v1/keys/${key}/%77rap`,
  `/api/eaas/v1/keys/${key}/wrap/../rotate`,
  `/api/eaas/v1/keys/${key}/wrap/%2e%2e/rotate`,
  `/api/eaas/v1/keys/${key}/wrap/..%2frotate`,
  '/api/eaas/v1/keys/..%2f..%2fapi-keys%3f/wrap',
  '/api/eaas/v1/keys/patients/wrap',
  `/api/eaas/v1/keys/${key.replaceAll('-', '')}/wrap`,
  ...otherRoutes.map((route) => `/api/eaas${route.replace(/.* /, '').replace(':key_id', key)}`),
  '/api/eaas/v1/batch/encrypt',
  '/api/eaas/healthz',
])('the response is 404 for the path %s', async (path) => {
  expect(await answerTo({ url: own + path })).toMatchObject({ status: 404, json: { code: 'not_found' } });
});

test('dot segments in a path are resolved before the grant is checked', async () => {
  const asked: unknown[] = [];
  const { post } = setUp({ authorize: (_, { operation, keyId }) => void asked.push(operation, keyId) });
  for (const path of [
    `/x/..${wrapPath}`,
    wrapPath.replace('wrap', 'unwrap/%2E%2E/wrap'),
    `/api\\eaas/v1/keys/${key}/wrap`,
  ]) {
    await post(path, { dek });
  }
  expect(asked).toEqual(['wrap', key, 'wrap', key, 'wrap', key]);
});

test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  'the proxy responds to the method %s with 405 and does not call `authorize`',
  async (method) => {
    const { proxy } = setUp({ authorize: unasked });
    const answer = await proxy(new Request(own + wrapPath, { method }));
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  },
);

test.each([
  [200, '?'],
  [400, '?a=1'],
])('the response is %d for the query %s', async (status, query) => {
  expect((await answerTo({ url: wrapPath + query })).status).toBe(status);
});

const admin = 'https://admin.example';
const listed = { allowedOrigins: [admin] };
// Behind a TLS proxy, requests have another URL.
const inside = 'http://10.0.0.1:3000';
// A foreign host name that resolves to the server.
const rebound = 'http://evil.example:3000';

test.each<[number, Record<string, string>, Partial<ProxyOptions>?, string?]>([
  [200, { 'sec-fetch-site': 'same-origin' }],
  [200, { 'sec-fetch-site': 'same-origin', origin: own }],
  [200, { origin: own }],
  [403, {}],
  [403, { 'sec-fetch-site': 'same-site', origin: 'https://other.app.example' }],
  [403, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  [403, { 'sec-fetch-site': 'cross-site', origin: own }],
  [403, { 'sec-fetch-site': 'none' }],
  [403, { 'sec-fetch-site': 'same-origin, cross-site' }],
  [403, { 'sec-fetch-site': 'same-origin', origin: 'null' }],
  [403, { origin: 'null' }],
  [403, { origin: 'https://evil.example' }],
  [403, { origin: 'https://evil.example' }, { authorize: unasked }],
  [403, { origin: 'http://app.example' }],
  [403, { origin: 'https://app.example.evil.example' }],
  [403, { origin: `${own}, https://evil.example` }],
  [200, { origin: own, 'sec-fetch-site': 'same-origin' }, {}, inside],
  [403, { origin: own }, {}, inside],
  [200, { origin: own }, { origin: own }, inside],
  [403, { origin: inside }, { origin: own }, inside],
  [403, { origin: rebound }, { origin: own }, rebound],
  [403, { origin: rebound, 'sec-fetch-site': 'same-origin' }, { origin: own }, rebound],
  [200, { origin: admin, 'sec-fetch-site': 'cross-site' }, listed],
  [200, { origin: admin }, { ...listed, origin: own }],
  [403, { origin: 'https://sub.admin.example' }, listed],
  [200, {}, { allowWithoutOrigin: true }],
  [403, { 'sec-fetch-site': 'cross-site' }, { allowWithoutOrigin: true }],
])(
  'the response is %d for the headers %j and the options %j',
  async (status, headers, options = {}, host = own) => {
    const answer = await answerTo({ url: host + wrapPath, headers, options });
    expect(answer.status).toBe(status);
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  },
);

test('the event of a refused origin shows at most 256 characters of it and the expected ones, but the response does not', async () => {
  const options = { origin: own, ...listed };
  for (const origin of ['http://localhost:3000', 'x'.repeat(9_000)]) {
    const headers = { origin, 'sec-fetch-site': 'cross-site' };
    const { status, text, events } = await answerTo({ headers, options });
    const shown = { origin: origin.slice(0, 256), secFetchSite: 'cross-site', expected: [own, admin] };
    expect({ status, events }).toEqual({ status: 403, events: [{ type: 'origin_refused', ...shown }] });
    expect(text).toContain('event `origin_refused`');
    expect(text).not.toMatch(/localhost|admin|xxx/);
  }
});

test.each<[number, string, Record<string, string>?]>([
  [200, 'application/json'],
  [200, 'Application/JSON; charset=utf-8'],
  [415, 'text/plain'],
  [415, 'application/json; charset=utf-16'],
  [415, 'application/jsonp'],
  [415, 'application/json', { 'content-encoding': 'gzip' }],
])('the response has the status %d for the content type %j', async (status, type, more) => {
  const headers = { 'sec-fetch-site': 'same-origin', 'content-type': type, ...more };
  expect((await answerTo({ headers })).status).toBe(status);
});

test.each<[string, string | Uint8Array]>([
  ['invalid JSON', '{'],
  ['an unknown field', `{"dek":"${dek}","key_id":"${key}"}`],
  ['a reference outside of a batch', `{"dek":"${dek}","reference":"1"}`],
  ['__proto__', `{"dek":"${dek}","__proto__":{"context":{"user":"1"}}}`],
  ['a DEK as an inherited member', `{"__proto__":{"dek":"${dek}"}}`],
  ['__proto__ in the context', `{"dek":"${dek}","context":{"__proto__":"1"}}`],
  ['a lone surrogate', `{"dek":"${dek}","context":{"a":"\\ud800"}}`],
  ['a byte order mark', `\ufeff{"dek":"${dek}"}`],
  ['invalid UTF-8', Buffer.from(`{"dek":"${dek}","context":{"a":"\xff"}}`, 'latin1')],
  ['the last of two DEKs wrong', `{"dek":"${dek}","dek":"AQ=="}`],
])('the proxy responds with 400 to a body with %s', async (_, body) => {
  expect(await answerTo({ body })).toMatchObject({ status: 400, json: { code: 'bad_request' } });
  expect(({} as { dek?: string }).dek).toBeUndefined();
});

test('of a field that a body has twice, the proxy judges and sends the last', async () => {
  const { sent } = await answerTo({ body: `{"dek":"AQ==","\\u0064ek":"${dek}"}` });
  expect(sent).toMatchObject([{ body: { dek } }]);
});

test('if a body has an API key as a field name, the response does not show the API key', async () => {
  const { post } = setUp();
  const alone = await post(wrapPath, { dek, [apiKey]: '' });
  const batch = await post(batchPath, { items: [{ key_id: key, dek, [apiKey]: '' }] });
  expect(alone.json).toMatchObject({ detail: 'Unknown field `eaas_sk_…`.' });
  expect(batch.json).toMatchObject({ results: [{ error: { detail: 'Unknown field `eaas_sk_…`.' } }] });
});

function endless(mebibytes: number, first = '') {
  let taken = 0;
  const part = new Uint8Array(1024 * 1024).fill(0x20);
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        controller.enqueue(taken === 0 ? new TextEncoder().encode(first) : part);
        if (taken++ === mebibytes) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, taken: () => taken };
}

const most = limits.body / 1024 / 1024 + 2;
const page = { 'sec-fetch-site': 'same-origin' };

test.each<[number, number, Ask]>([
  [most, 413, {}],
  [most, 413, { url: batchPath }],
  [0, 413, { headers: { ...page, 'content-length': '2097153' } }],
  [0, 403, { options: { authorize: () => undefined } }],
  [0, 403, { headers: { 'sec-fetch-site': 'cross-site' } }],
  [0, 415, { headers: { ...page, 'content-type': 'text/plain' } }],
])('at most %d MiB are read of a body that is refused with %d', async (mib, status, ask) => {
  const { stream, taken } = endless(100);
  expect((await answerTo({ ...ask, body: stream })).status).toBe(status);
  expect(taken()).toBeLessThanOrEqual(mib);
});

describe('a body', () => {
  test('within the limit is read in any number of parts', async () => {
    const { sent } = await answerTo({ body: endless(1, JSON.stringify({ dek })).stream });
    expect(sent).toMatchObject([{ body: { dek } }]);
  });

  test('that does not arrive in time gets 408', async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      cancel: () => {
        cancelled = true;
      },
    });
    const answer = await answerTo({ body, options: { timeout: 20 } });
    expect([answer.json, cancelled]).toMatchObject([{ status: 408, code: 'bad_request' }, true]);
  });

  test('that ends too early gets 400 without an event', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    expect(await answerTo({ body })).toMatchObject({ status: 400, events: [] });
  });

  test('that the app already read gets 500', async () => {
    const authorize: ProxyOptions['authorize'] = async (request) => (await request.text(), all);
    const events = [{ type: 'failed', error: { name: 'InputError' } }];
    expect(await answerTo({ options: { authorize } })).toMatchObject({ status: 500, events });
  });
});

test('the event loop runs while the proxy checks a large batch', async () => {
  const { post } = setUp();
  const members = Array.from({ length: 5 }, (_, nth) => `"name-${nth}":0`).join(',');
  const items = Array.from({ length: 1_000 }, () => `{${members}}`).join(',');
  await post(batchPath, '{"items":[{}]}');
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  expect(await post(batchPath, `{"items":[${items}]}`)).toMatchObject({ status: 200 });
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(19);
});

test('a proxy that is called with a Node request throws an error that asks for `toNodeHandler`', async () => {
  const { proxy } = setUp();
  const incoming = { method: 'POST', url: wrapPath, headers: {} };
  await expect(proxy(incoming as never)).rejects.toThrow('mount toNodeHandler(proxy)');
});

test.each<[string, Partial<ProxyOptions>]>([
  ['options without `authorize`', { authorize: undefined as never }],
  ['an empty API key', { apiKey: '' }],
  ['an API key with a line break', { apiKey: `${apiKey}\n` }],
  ['a URL that is not HTTP', { baseUrl: 'ftp://keys.example' }],
  ['a password in the URL', { baseUrl: `https://user:${apiKey}@keys.example` }],
  ['a base path with a final slash', { basePath: '/api/' }],
  ['a base path with dot segments', { basePath: '/app/../api' }],
  ['an origin with a path', { origin: 'https://app.example/' }],
  ['the origin null', { allowedOrigins: ['null'] }],
  ['the origin *', { allowedOrigins: ['*'] }],
])('createProxy refuses %s with an error without secrets', (_, options) => {
  const make = () =>
    createProxy({ baseUrl: 'https://keys.example', apiKey, authorize: () => all, ...options });
  expect(make).toThrow(
    expect.objectContaining({ code: 'input', message: expect.not.stringContaining('eaas_sk_') as string }),
  );
});
