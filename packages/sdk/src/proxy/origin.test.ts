import { describe, expect, test } from 'vitest';
import { dek, setUp, wrapPath } from '../../test/proxied.ts';
import type { ProxyOptions } from './proxy.ts';

const own = 'https://app.example';

async function statusOf(headers: Record<string, string>, options: Partial<ProxyOptions> = {}, host = own) {
  const { proxy, sent } = setUp(options);
  const request = new Request(host + wrapPath, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ dek }),
  });
  const answer = await proxy(request);
  expect(sent).toHaveLength(answer.status === 200 ? 1 : 0);
  return answer.status;
}

describe('origins of pages', () => {
  test.each<[number, Record<string, string>]>([
    [200, { 'sec-fetch-site': 'same-origin' }],
    [200, { 'sec-fetch-site': 'same-origin', origin: own }],
    [200, { origin: own }],
    [403, {}],
    [403, { referer: `${own}/` }],
    [403, { 'sec-fetch-site': 'same-site', origin: 'https://other.app.example' }],
    [403, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    [403, { 'sec-fetch-site': 'cross-site', origin: own }],
    [403, { 'sec-fetch-site': 'none' }],
    [403, { 'sec-fetch-site': '' }],
    [403, { 'sec-fetch-site': 'same-origin, cross-site' }],
    [403, { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    [403, { origin: 'null' }],
    [403, { origin: '' }],
    [403, { origin: 'https://evil.example' }],
    [403, { origin: 'http://app.example' }],
    [403, { origin: 'https://app.example:8443' }],
    [403, { origin: 'https://app.example.evil.example' }],
    [403, { origin: 'https://APP.example' }],
    [403, { origin: `${own}/` }],
    [403, { origin: `${own}, https://evil.example` }],
  ])('the response is %d for a request with the headers %j', async (status, headers) => {
    expect(await statusOf(headers)).toBe(status);
  });
});

describe('origins behind a TLS proxy, where requests have another URL', () => {
  const inside = 'http://10.0.0.1:3000';

  test('behind a TLS proxy, requests without Sec-Fetch-Site are accepted only with the option `origin`', async () => {
    expect(await statusOf({ origin: own, 'sec-fetch-site': 'same-origin' }, {}, inside)).toBe(200);
    expect(await statusOf({ origin: own }, {}, inside)).toBe(403);
    expect(await statusOf({ origin: own }, { origin: own }, inside)).toBe(200);
    expect(await statusOf({ origin: inside }, { origin: own }, inside)).toBe(403);
  });

  test('with the option `origin`, the proxy refuses a foreign host name that resolves to the server', async () => {
    const rebound = 'http://evil.example:3000';
    expect(await statusOf({ origin: rebound }, { origin: own }, rebound)).toBe(403);
    expect(
      await statusOf({ origin: rebound, 'sec-fetch-site': 'same-origin' }, { origin: own }, rebound),
    ).toBe(403);
  });
});

test('a listed origin is accepted only in its exact spelling', async () => {
  const options = { allowedOrigins: ['https://admin.example'] };
  expect(await statusOf({ origin: 'https://admin.example', 'sec-fetch-site': 'cross-site' }, options)).toBe(
    200,
  );
  expect(await statusOf({ origin: 'https://admin.example' }, { ...options, origin: own })).toBe(200);
  expect(await statusOf({ origin: 'https://sub.admin.example' }, options)).toBe(403);
  expect(await statusOf({ origin: 'null' }, options)).toBe(403);
  const { post } = setUp(options);
  const answer = await post(wrapPath, { dek }, { origin: 'https://admin.example' });
  expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('`allowWithoutOrigin` accepts requests of programs but not of other sites', async () => {
  const options = { allowWithoutOrigin: true };
  expect(await statusOf({}, options)).toBe(200);
  expect(await statusOf({ 'sec-fetch-site': 'cross-site' }, options)).toBe(403);
  expect(await statusOf({ origin: 'https://evil.example' }, options)).toBe(403);
});

test('a request of another site is refused before `authorize` is called', async () => {
  const authorize = () => {
    throw new Error('asked');
  };
  expect(await statusOf({ origin: 'https://evil.example' }, { authorize })).toBe(403);
});

test('the event of a refused origin shows the received and expected origins, but the response does not', async () => {
  const options = { origin: own, allowedOrigins: ['https://admin.example'] };
  const { post, events } = setUp(options);
  const local = 'http://localhost:3000';
  const { status, text } = await post(wrapPath, { dek }, { origin: local });
  expect({ status, events }).toEqual({
    status: 403,
    events: [
      {
        type: 'origin_refused',
        origin: local,
        secFetchSite: 'same-origin',
        expected: [own, 'https://admin.example'],
      },
    ],
  });
  expect(text).toContain('event `origin_refused`');
  expect(text).not.toMatch(/localhost|admin/);
});

test('if the proxy refuses an origin, the event contains only the first 256 characters of the origin', async () => {
  const { post, events } = setUp();
  await post(wrapPath, { dek }, { origin: 'x'.repeat(9_000), 'sec-fetch-site': 'cross-site' });
  expect(events).toEqual([
    { type: 'origin_refused', origin: 'x'.repeat(256), secFetchSite: 'cross-site', expected: [own] },
  ]);
});
