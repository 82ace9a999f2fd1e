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

const admin = 'https://admin.example';
const listed = { allowedOrigins: [admin] };
// Behind a TLS proxy, requests have another URL.
const inside = 'http://10.0.0.1:3000';
// A foreign host name that resolves to the server.
const rebound = 'http://evil.example:3000';

test.each<[number, string, Record<string, string>, Partial<ProxyOptions>]>([
  [200, inside, { origin: own, 'sec-fetch-site': 'same-origin' }, {}],
  [403, inside, { origin: own }, {}],
  [200, inside, { origin: own }, { origin: own }],
  [403, inside, { origin: inside }, { origin: own }],
  [403, rebound, { origin: rebound }, { origin: own }],
  [403, rebound, { origin: rebound, 'sec-fetch-site': 'same-origin' }, { origin: own }],
  [200, own, { origin: admin, 'sec-fetch-site': 'cross-site' }, listed],
  [200, own, { origin: admin }, { ...listed, origin: own }],
  [403, own, { origin: 'https://sub.admin.example' }, listed],
  [403, own, { origin: 'null' }, listed],
  [200, own, {}, { allowWithoutOrigin: true }],
  [403, own, { 'sec-fetch-site': 'cross-site' }, { allowWithoutOrigin: true }],
  [403, own, { origin: 'https://evil.example' }, { allowWithoutOrigin: true }],
])(
  'the response is %d for a request to %s with the headers %j and the options %j',
  async (status, url, headers, options) => {
    expect(await statusOf(headers, options, url)).toBe(status);
  },
);

test('the response to a listed origin has no CORS headers', async () => {
  const answer = await setUp(listed).post(wrapPath, { dek }, { origin: admin });
  expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('a request of another site is refused before `authorize` is called', async () => {
  const authorize = () => {
    throw new Error('asked');
  };
  expect(await statusOf({ origin: 'https://evil.example' }, { authorize })).toBe(403);
});

test('the event of a refused origin shows the received and expected origins, but the response does not', async () => {
  const { post, events } = setUp({ origin: own, ...listed });
  const origin = 'http://localhost:3000';
  const { status, text } = await post(wrapPath, { dek }, { origin });
  const event = { type: 'origin_refused', origin, secFetchSite: 'same-origin', expected: [own, admin] };
  expect({ status, events }).toEqual({ status: 403, events: [event] });
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
