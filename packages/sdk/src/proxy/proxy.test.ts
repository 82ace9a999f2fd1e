import { describe, expect, test } from 'vitest';
import { all, apiKey, dek, key, setUp, wrapPath, wrapped } from '../../test/proxied.ts';
import { createProxy, type ProxyOptions } from './proxy.ts';

describe('calls that are granted', () => {
  test('the proxy sends a granted call with its own API key and headers', async () => {
    const { post, sent } = setUp();
    const answer = await post(
      wrapPath,
      { dek },
      { cookie: 'session=1', authorization: 'Bearer x', origin: 'https://app.example' },
    );
    expect(answer).toMatchObject({ status: 200, json: wrapped });
    const [{ url, headers, body } = { headers: new Headers() }] = sent;
    expect({ url, body }).toEqual({ url: `https://keys.example/v1/keys/${key}/wrap`, body: { dek } });
    expect(Object.fromEntries(headers)).toEqual({
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
    });
  });

  test('the proxy calls the function `apiKey` before each call', async () => {
    const tokens = ['eaas_sk_1', 'eaas_sk_2'];
    const { post, sent } = setUp({ apiKey: async () => tokens.shift() ?? '' });
    await post(wrapPath, { dek });
    await post(wrapPath, { dek });
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer eaas_sk_1',
      'Bearer eaas_sk_2',
    ]);
  });

  test('the proxy accepts a key id in upper case', async () => {
    const { post, sent } = setUp({ authorize: () => ({ ...all, keys: [key.toUpperCase()] }) });
    expect(await post(wrapPath.replace(key, key.toUpperCase()), { dek })).toMatchObject({ status: 200 });
    expect(sent[0]?.url).toBe(`https://keys.example/v1/keys/${key}/wrap`);
  });

  test('a response of the proxy contains only documented fields and the request id, and forbids caching', async () => {
    const headers = { 'x-request-id': 'request-1', 'set-cookie': 'a=1', server: 'secret' };
    const { post } = setUp({}, () => Response.json({ ...wrapped, internal: 'secret' }, { headers }));
    const answer = await post(wrapPath, { dek });
    expect(answer.json).toEqual(wrapped);
    expect(Object.fromEntries(answer.headers)).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'request-1',
    });
  });

  test('a call of `hash` uses the key id in the request body', async () => {
    const hash = 'ab'.repeat(32);
    const { post, sent } = setUp({}, () => Response.json({ hash, key_id: key }));
    expect(await post('/api/eaas/v1/hash', { value: 'Ada', key_id: key.toUpperCase() })).toMatchObject({
      json: { hash },
    });
    expect(sent[0]).toMatchObject({
      url: 'https://keys.example/v1/hash',
      body: { value: 'Ada', key_id: key },
    });
  });

  test('the proxy works under any `basePath`', async () => {
    const { post } = setUp({ basePath: '/x' });
    expect(await post(`/x/v1/keys/${key}/wrap`, { dek })).toMatchObject({ status: 200 });
    expect(await post(wrapPath, { dek })).toMatchObject({ status: 404 });
    expect(await setUp({ basePath: '' }).post(`/v1/keys/${key}/wrap`, { dek })).toMatchObject({
      status: 200,
    });
  });
});

test('a proxy that is called with a Node request throws an error that asks for `toNodeHandler`', async () => {
  const proxy = createProxy({ baseUrl: 'https://keys.example', apiKey, authorize: () => all });
  const incoming = { method: 'POST', url: wrapPath, headers: {} };
  await expect(proxy(incoming as never)).rejects.toThrow('mount toNodeHandler(proxy)');
});

test.each<[string, Partial<ProxyOptions>]>([
  ['options without `authorize`', { authorize: undefined as never }],
  ['an empty API key', { apiKey: '' }],
  ['options without an API key', { apiKey: undefined as never }],
  ['an API key with a line break', { apiKey: `${apiKey}\n` }],
  ['an empty URL', { baseUrl: '' }],
  ['a URL that is not HTTP', { baseUrl: 'ftp://keys.example' }],
  ['a password in the URL', { baseUrl: `https://user:${apiKey}@keys.example` }],
  ['a base path with a final slash', { basePath: '/api/' }],
  ['a relative base path', { basePath: 'api' }],
  ['a base path that is not encoded', { basePath: '/api/clés' }],
  ['a base path with dot segments', { basePath: '/app/../api' }],
  ['an origin with a path', { origin: 'https://app.example/' }],
  ['the origin null', { allowedOrigins: ['null'] }],
  ['the origin *', { allowedOrigins: ['*'] }],
  ['a timeout of 0', { timeout: 0 }],
])('createProxy refuses %s with an error without secrets', (_, options) => {
  const make = () =>
    createProxy({ baseUrl: 'https://keys.example', apiKey, authorize: () => all, ...options });
  expect(make).toThrow(
    expect.objectContaining({ code: 'input', message: expect.not.stringContaining('eaas_sk_') as string }),
  );
});
