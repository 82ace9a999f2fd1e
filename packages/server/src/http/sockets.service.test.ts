import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { setTimeLimits } from '@eaas/test-kit/time-limits';
import { listen } from './testing/listen.ts';
import { authorization } from './testing/memory-service.ts';

const head = `Host: x\r\nAuthorization: ${authorization}\r\n`;
const json = 'Content-Type: application/json\r\n';

function problemIn(answer: string): { status: number; code: string; title: string } {
  const [top = '', body = ''] = answer.split('\r\n\r\n');
  expect(top).toMatch(/\r\nx-request-id: [\da-f-]{36}(\r\n|$)/i);
  expect(top).toMatch(/\r\ncontent-type: application\/problem\+json(\r\n|$)/i);
  expect(top).toMatch(/\r\nx-content-type-options: nosniff(\r\n|$)/i);
  expect(top).toMatch(/\r\nconnection: close(\r\n|$)/i);
  expect(Number(/content-length: (\d+)/i.exec(top)?.[1])).toBe(Buffer.byteLength(body));
  return JSON.parse(body) as { status: number; code: string; title: string };
}

describe.concurrent('invalid HTTP', () => {
  it.each([
    ['garbage', 'hello\r\n\r\n'],
    ['the beginning of TLS', '\u0016\u0003\u0001\u0000\u0005\u0001'],
    ['two lengths', `POST /v1/hash HTTP/1.1\r\n${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    [
      'a length and chunks',
      `POST /v1/hash HTTP/1.1\r\n${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ],
    ['a line break in a header', `GET /v1/keys HTTP/1.1\r\n${head}X: a\rb\r\n\r\n`],
    [
      'a chunk without a size',
      `POST /v1/hash HTTP/1.1\r\n${head}${json}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    ],
  ])('invalid HTTP gets 400: %s', async (_, bytes) => {
    const { exchange } = await listen();
    expect(problemIn(await exchange(bytes))).toMatchObject({ status: 400, code: 'bad_request' });
  });

  it('a request whose headers or path exceed 16 KiB gets 431', async () => {
    const { exchange } = await listen();
    const long = 'x'.repeat(17 * 1024);
    for (const bytes of [
      `GET /${long} HTTP/1.1\r\n${head}\r\n`,
      `GET / HTTP/1.1\r\n${head}X: ${long}\r\n\r\n`,
    ]) {
      expect(problemIn(await exchange(bytes))).toMatchObject({ status: 431, code: 'too_large' });
    }
  });

  it.each([
    ['no Host', 'GET /healthz HTTP/1.1\r\n'],
    ['HTTP/2.0', `GET /v1/keys HTTP/2.0\r\n${head}`],
    ['a fragment in the path', `GET /v1/keys#all HTTP/1.1\r\n${head}`],
    [
      'two transfer codings',
      `POST /v1/hash HTTP/1.1\r\n${head}${json}Transfer-Encoding: identity, chunked\r\n`,
    ],
  ])('a request that Node accepts, but HTTP does not allow, gets 400: %s', async (_, bytes) => {
    const { exchange } = await listen();
    const answer = await exchange(`${bytes}Connection: close\r\n\r\n`);
    expect(problemIn(answer)).toMatchObject({ status: 400, code: 'bad_request' });
  });

  const [noChunk, noTrailer] = ['zz\r\n', '1\r\nx\r\n0\r\na b: c\r\n\r\n'];
  it.each([
    ['401', '/v1/encrypt', noChunk],
    ['401', '/v1/encrypt', noTrailer],
    ['404', '/nope', noChunk],
    ['404', '/nope', noTrailer],
  ])('a request refused with %s gets no second response: %s, then %j', async (status, path, rest) => {
    const { port } = await listen();
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${json}Transfer-Encoding: chunked\r\n\r\n`);
    socket.once('data', () => socket.write(rest));
    const answers = await text(socket);
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
  });

  // Uses `expect.poll` from the context of the test, because the tests of this file run concurrently.
  it('requests with the header Upgrade or Expect are handled like other requests', async ({ expect }) => {
    const { port } = await listen();
    for (const header of ['Connection: Upgrade\r\nUpgrade: websocket', 'Expect: a-miracle']) {
      let answer = '';
      const socket = connect(port, '127.0.0.1').setEncoding('utf8');
      socket.on('data', (part: string) => {
        answer += part;
      });
      socket.write(`GET /healthz HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
      await expect.poll(() => answer).toMatch(/^HTTP\/1.1 200 OK/);
      socket.destroy();
    }
  });
});

describe('a slow client', () => {
  it('a client whose headers take too long gets 408', async () => {
    setTimeLimits(0.05);
    const { exchange } = await listen();
    const answer = await exchange('GET /healthz HTTP/1.1\r\n', 10, 'X-A: 1\r\n');
    expect(problemIn(answer)).toMatchObject({ status: 408, title: 'Request Timeout', code: 'bad_request' });
  });

  it('a client whose body stalls gets 408', async () => {
    setTimeLimits(0.05);
    const { exchange, log } = await listen();
    const answer = await exchange(
      `POST /v1/hash HTTP/1.1\r\n${head}${json}Content-Length: 99\r\n\r\n`,
      10,
      '{"value"',
    );
    expect(problemIn(answer)).toMatchObject({ status: 408 });
    expect(log.join('')).toContain('"status":408');
  });

  it('a client that continues to send a refused body is disconnected', async () => {
    const { exchange } = await listen();
    setTimeLimits(0.05);
    const chunks = Array.from({ length: 12 }, () => ['1\r\nx\r\n', 50]).flat();
    const answer = await exchange(
      `POST /v1/hash HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`,
      ...chunks,
    );
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(answer.match(/HTTP\/1.1/g)).toHaveLength(1);
  });

  it('an unread body is not the next request', async () => {
    const { exchange } = await listen();
    const inner = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const last = 'GET /v1/keys HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    for (const path of ['/v1/encrypt', '/v1/nothing', '/v1/keys', '/healthz']) {
      const outer = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`;
      expect(await exchange(outer + last)).not.toContain('HTTP/1.1 200');
    }
  });

  it('a client that disconnects is logged as aborted', async () => {
    const { port, log, service } = await listen();
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST /v1/hash HTTP/1.1\r\n${head}${json}Content-Length: 99\r\n\r\n{`);
    await expect.poll(() => service.arrivals.length).toBe(1);
    socket.destroy();
    await expect.poll(() => log.join('')).toContain('"status":"aborted"');
    expect(log.join('')).not.toContain('"level":"error"');
  });
});
