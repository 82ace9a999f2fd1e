import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { listen } from './testing/listen.ts';
import { authorization } from './testing/memory-doors.ts';

const head = `Host: x\r\nAuthorization: ${authorization}\r\n`;
const json = 'Content-Type: application/json\r\n';

/** The status, and that all else is as in every answer. */
function problemIn(answer: string): { status: number; code: string; title: string } {
  const [top = '', body = ''] = answer.split('\r\n\r\n');
  expect(top).toMatch(/\r\nx-request-id: [\da-f-]{36}(\r\n|$)/i);
  expect(top).toMatch(/\r\ncontent-type: application\/problem\+json(\r\n|$)/i);
  expect(top).toMatch(/\r\nx-content-type-options: nosniff(\r\n|$)/i);
  expect(top).toMatch(/\r\nconnection: close(\r\n|$)/i);
  expect(Number(/content-length: (\d+)/i.exec(top)?.[1])).toBe(Buffer.byteLength(body));
  return JSON.parse(body) as { status: number; code: string; title: string };
}

describe.concurrent('what is hardly HTTP', () => {
  it.each([
    ['garbage', 'hello\r\n\r\n'],
    ['a TLS handshake', '\u0016\u0003\u0001\u0002\u0000\u0001'],
    ['a method nobody knows', `FOO /v1/keys HTTP/1.1\r\n${head}\r\n`],
    ['another protocol', `GET / HTTP/3.0\r\n${head}\r\n`],
    ['two lengths', `POST /v1/hash HTTP/1.1\r\n${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    [
      'a length beside chunks',
      `POST /v1/hash HTTP/1.1\r\n${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ],
    ['a space before the colon', `GET /v1/keys HTTP/1.1\r\n${head}X-Test : 1\r\n\r\n`],
    [
      'a chunk without a size',
      `POST /v1/hash HTTP/1.1\r\n${head}${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
  ])('is 400: %s', async (_, bytes) => {
    const { exchange } = await listen();
    expect(problemIn(await exchange(bytes))).toMatchObject({ status: 400, code: 'bad_request' });
  });

  it('is 431 with headers above 16 KiB, whether in lines or in the address', async () => {
    const { exchange } = await listen();
    const long = 'x'.repeat(17 * 1024);
    for (const bytes of [
      `GET /${long} HTTP/1.1\r\n${head}\r\n`,
      `GET / HTTP/1.1\r\n${head}X: ${long}\r\n\r\n`,
    ]) {
      expect(problemIn(await exchange(bytes))).toMatchObject({ status: 431, code: 'too_large' });
    }
  });

  it('is 400 without Host, and with an address that cannot be decoded', async () => {
    const { exchange, fetch, log } = await listen();
    const answer = await exchange('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(problemIn(answer)).toMatchObject({ status: 400 });
    for (const path of ['/v1/keys/%zz', '/v1/keys/%ff', '/v1/%']) {
      const response = await fetch(path);
      expect([response.status, await response.json()]).toMatchObject([400, { code: 'bad_request' }]);
      expect(log.join('')).toContain(response.headers.get('x-request-id'));
    }
    expect(log.join('')).not.toContain('%zz');
  });

  it('answers what asks for an upgrade or has expectations like anything else', async () => {
    const { exchange } = await listen();
    for (const header of [
      'Connection: Upgrade\r\nUpgrade: websocket',
      'Connection: close\r\nExpect: a-miracle',
    ]) {
      const request = `GET /healthz HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`;
      const answer = await exchange(request, 200, 'garbage\r\n\r\n');
      expect(answer).toMatch(/^HTTP\/1.1 200 OK/);
    }
  });

  it('ends where the request says, and the next one begins there', async () => {
    const { exchange, doors } = await listen();
    const one = `POST /v1/hash HTTP/1.1\r\n${head}${json}Content-Length: 2\r\n\r\n{}`;
    const last = `GET /v1/keys HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
    const answer = await exchange(one + one + last);
    expect(answer.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 400', 'HTTP/1.1 400', 'HTTP/1.1 200']);
    expect(doors.arrivals).toHaveLength(3);
  });
});

describe.concurrent('a slow client', () => {
  it('is 408 when its headers take more than five seconds', async () => {
    const { exchange } = await listen();
    const started = performance.now();
    const answer = await exchange('GET /healthz HTTP/1.1\r\n', 2_000, 'X-A: 1\r\n', 2_000, 'X-B: 1\r\n');
    expect(problemIn(answer)).toMatchObject({ status: 408, title: 'Request Timeout', code: 'bad_request' });
    expect(performance.now() - started).toBeLessThan(8_000);
  });

  it('is 408 when its body stalls for four seconds', async () => {
    const { exchange, log } = await listen();
    const started = performance.now();
    const answer = await exchange(
      `POST /v1/hash HTTP/1.1\r\n${head}${json}Content-Length: 99\r\n\r\n`,
      500,
      '{"value"',
    );
    expect(problemIn(answer)).toMatchObject({ status: 408 });
    expect(performance.now() - started).toBeGreaterThan(4_000);
    expect(performance.now() - started).toBeLessThan(6_500);
    expect(log.join('')).toContain('"status":408');
  });

  it('is served when its body is merely slow', async () => {
    const { exchange } = await listen();
    const body = '{"value":"x","key_id":"y"}';
    const parts = body.match(/.{9}|.+$/g) ?? [];
    const request = `POST /v1/hash HTTP/1.1\r\n${head}${json}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect(await exchange(request, ...parts.flatMap((part) => [1_500, part]))).toMatch(/^HTTP\/1.1 200 /);
  });

  it('that goes on sending what was refused is cut off after four seconds', async () => {
    const { exchange } = await listen();
    const started = performance.now();
    const chunks = Array.from({ length: 12 }, () => ['1\r\nx\r\n', 500]).flat();
    const answer = await exchange(
      `POST /v1/hash HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`,
      ...chunks,
    );
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(answer.match(/HTTP\/1.1/g)).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(8_000);
  });

  it('that leaves is logged as such, and nothing fails', async () => {
    const { port, log, doors } = await listen();
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST /v1/hash HTTP/1.1\r\n${head}${json}Content-Length: 99\r\n\r\n{`);
    await expect.poll(() => doors.arrivals.length).toBe(1);
    socket.destroy();
    await expect.poll(() => log.join('')).toContain('"status":"aborted"');
    expect(log.join('')).not.toContain('"level":"error"');
  });
});
