import { limits } from '@eaas/protocol/wire';
import { describe, expect, test } from 'vitest';
import { apiKey, dek, key, setUp, wrapPath } from '../../test/proxied.ts';

const batchPath = '/api/eaas/v1/batch/wrap';

describe('request bodies', () => {
  test.each<[number, string, Record<string, string>?]>([
    [200, 'application/json'],
    [200, 'Application/JSON; charset=utf-8'],
    [415, 'text/plain'],
    [415, 'application/x-www-form-urlencoded'],
    [415, 'multipart/form-data; boundary=x'],
    [415, 'application/json; charset=utf-16'],
    [415, 'text/plain; application/json'],
    [415, 'application/jsonp'],
    [415, ''],
    [415, 'application/json', { 'content-encoding': 'gzip' }],
  ])('the response has the status %d for the content type %j', async (status, type, more) => {
    const { post, sent } = setUp();
    expect(await post(wrapPath, { dek }, { 'content-type': type, ...more })).toMatchObject({ status });
    expect(sent).toHaveLength(status === 200 ? 1 : 0);
  });

  test.each<[string, string | Uint8Array]>([
    ['invalid JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['an unknown field', `{"dek":"${dek}","key_id":"${key}"}`],
    ['a reference outside of a batch', `{"dek":"${dek}","reference":"1"}`],
    ['__proto__', `{"dek":"${dek}","__proto__":{"context":{"user":"1"}}}`],
    ['a DEK as an inherited member', `{"__proto__":{"dek":"${dek}"}}`],
    ['constructor', `{"dek":"${dek}","constructor":{}}`],
    ['__proto__ in the context', `{"dek":"${dek}","context":{"__proto__":"1"}}`],
    ['a context that is a list', `{"dek":"${dek}","context":["1"]}`],
    ['no context', `{"dek":"${dek}","context":null}`],
    ['a lone surrogate', `{"dek":"${dek}","context":{"a":"\\ud800"}}`],
    ['a byte order mark', `\ufeff{"dek":"${dek}"}`],
    ['invalid UTF-8', Buffer.from(`{"dek":"${dek}","context":{"a":"\xff"}}`, 'latin1')],
    ['a DEK in another alphabet', `{"dek":"${dek.replace('A', '_')}"}`],
  ])('the proxy responds with 400 to a body with %s, and does not call the service', async (_, body) => {
    const { post, sent } = setUp();
    expect(await post(wrapPath, body)).toMatchObject({ status: 400, json: { code: 'bad_request' } });
    expect(sent).toEqual([]);
    expect(({} as { dek?: string }).dek).toBeUndefined();
  });

  test('of a field that a body has twice, the proxy judges and sends the last', async () => {
    const { post, sent } = setUp();
    expect(await post(wrapPath, `{"dek":"AQ==","\\u0064ek":"${dek}"}`)).toMatchObject({ status: 200 });
    expect(sent).toMatchObject([{ body: { dek } }]);
    expect(await post(wrapPath, `{"dek":"${dek}","dek":"AQ=="}`)).toMatchObject({ status: 400 });
  });

  test('if a body has an API key as a field name, the response does not show the API key', async () => {
    const { post } = setUp();
    const alone = await post(wrapPath, { dek, [apiKey]: '' });
    const batch = await post(batchPath, { items: [{ key_id: key, dek, [apiKey]: '' }] });
    expect(alone.json).toMatchObject({ detail: 'Unknown field `eaas_sk_…`.' });
    expect(batch.json).toMatchObject({ results: [{ error: { detail: 'Unknown field `eaas_sk_…`.' } }] });
  });
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

function streamed(path: string, body: ReadableStream, headers: Record<string, string> = {}): Request {
  return new Request(`https://app.example${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
    body,
    duplex: 'half',
  } as RequestInit);
}

describe('large request bodies', () => {
  const most = limits.body / 1024 / 1024 + 2;
  test.each<[number, number, string, Parameters<typeof setUp>[0], Record<string, string>]>([
    [most, 413, wrapPath, {}, {}],
    [most, 413, batchPath, {}, {}],
    [0, 413, wrapPath, {}, { 'content-length': '2097153' }],
    [0, 403, wrapPath, { authorize: () => undefined }, {}],
    [0, 403, wrapPath, {}, { 'sec-fetch-site': 'cross-site' }],
    [0, 415, wrapPath, {}, { 'content-type': 'text/plain' }],
  ])(
    'at most %d MiB are read of a body that is refused with %d',
    async (mib, status, path, options, headers) => {
      const { proxy } = setUp(options);
      const { stream, taken } = endless(100);
      expect((await proxy(streamed(path, stream, headers))).status).toBe(status);
      expect(taken()).toBeLessThanOrEqual(mib);
    },
  );

  test('a body within the limit is read in any number of parts', async () => {
    const { proxy, sent } = setUp();
    const { stream } = endless(1, JSON.stringify({ dek }));
    expect((await proxy(streamed(wrapPath, stream))).status).toBe(200);
    expect(sent).toMatchObject([{ body: { dek } }]);
  });
});

test('the proxy responds with 408 to a body that does not arrive in time', async () => {
  const { proxy, sent } = setUp({ timeout: 20 });
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) });
  const answer = await proxy(streamed(wrapPath, stream));
  expect(await answer.json()).toMatchObject({ status: 408, code: 'bad_request' });
  expect([cancelled, sent]).toEqual([true, []]);
});

test('the proxy responds with 500 to a body that the app already read', async () => {
  const { post, events } = setUp({
    authorize: async (request) => (await request.text(), { keys: [key], operations: ['wrap'] }),
  });
  expect(await post(wrapPath, { dek })).toMatchObject({ status: 500 });
  expect(events).toMatchObject([{ type: 'failed', error: { name: 'InputError' } }]);
});

test('if the body ends too early, the response is 400 and no event is emitted', async () => {
  const { proxy, events } = setUp();
  const stream = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
  expect((await proxy(streamed(wrapPath, stream))).status).toBe(400);
  expect(events).toEqual([]);
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
