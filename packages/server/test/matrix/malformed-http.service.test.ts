// What is not HTTP, or hardly, gets a problem document like everything else, and no second request hides in a body.
import { expect, test } from 'vitest';
import { parseRaw, rawExchange } from '@eaas/test-kit/api';
import { newTenant, target } from '@eaas/test-kit/fixture';

const tenant = await newTenant();
const { baseUrl } = await target();

const request = (line: string, ...headers: string[]): string =>
  [line, 'Host: eaas.example', 'Connection: close', ...headers, '\r\n'].join('\r\n');
const post = (...headers: string[]): string =>
  request(
    'POST /v1/hash HTTP/1.1',
    `Authorization: Bearer ${tenant.api.token}`,
    'Content-Type: application/json',
    ...headers,
  );

const malformed: [string, () => string | Buffer, readonly number[]][] = [
  ['garbage', () => 'garbage\r\n\r\n', [400]],
  ['a method that Node knows and the API does not', () => request('QUERY /v1/keys HTTP/1.1'), [405]],
  ['TRACE', () => request('TRACE /v1/keys HTTP/1.1'), [400, 404, 405]],
  ['the beginning of TLS', () => Buffer.from('16030100a5010000a10303', 'hex'), [400]],
  ['no Host', () => 'GET /v1/keys HTTP/1.1\r\nConnection: close\r\n\r\n', [400, 401]],
  ['a header with a line break in it', () => request('GET /v1/keys HTTP/1.1', 'X: a\rb'), [400]],
  ['bad percent encoding in an unknown path', () => request('GET /v1/%zz%ff HTTP/1.1'), [404]],
  ['an absolute URL', () => request('GET http://evil.example/v1/keys HTTP/1.1'), [400, 401, 404]],
  ['a path with ..', () => request('GET /v1/../../etc/passwd HTTP/1.1'), [400, 404]],
  ['headers of 200,000 bytes', () => request('GET /v1/keys HTTP/1.1', `X: ${'a'.repeat(200_000)}`), [431]],
  ['two different lengths', () => `${post('Content-Length: 2', 'Content-Length: 3')}{}`, [400]],
  ['a length and chunks', () => `${post('Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`, [400]],
  ['a broken chunk', () => `${post('Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`, [400]],
];

test.for(malformed)('%s returns a problem document', async ([, bytes, right]) => {
  const { status, head, body } = parseRaw(await rawExchange(baseUrl, bytes()));
  expect(right).toContain(status);
  expect(head).toMatch(/^content-type: application\/problem\+json$/im);
  expect(body).toMatchObject({ type: 'about:blank', status, code: expect.any(String) });
});

test('the server does not parse an unread body as the next request', async () => {
  const inner = 'GET /healthz HTTP/1.1\r\nHost: eaas.example\r\n\r\n';
  for (const path of ['/v1/encrypt', '/v1/nothing', '/v1/keys', '/healthz']) {
    const head = `POST ${path} HTTP/1.1\r\nHost: eaas.example\r\nContent-Length: ${inner.length}\r\n\r\n`;
    const answers = await rawExchange(baseUrl, `${head}${inner}`);
    expect(answers.match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(1);
    expect(answers).not.toContain('HTTP/1.1 200');
  }
});
