import { request as send } from 'node:http';
import { connect as connectSecond, createServer as createSecondServer } from 'node:http2';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { all, dek, setUp, wrapPath, wrapped } from '../../test/proxied.ts';
import { exchange, serve } from '../../test/served-proxy.ts';
import { nodeRequestOf, toNodeHandler } from './proxy.ts';

describe('request URLs in Node frameworks', () => {
  const raw = async (target: string, host = 'app.example') => {
    const { port, sent } = await serve();
    const body = JSON.stringify({ dek });
    const head =
      `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://app.example\r\nContent-Type: ` +
      `application/json\r\nConnection: close`;
    const answer = await exchange(port, `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    return { status: Number(answer.slice(9, 12)), sent };
  };

  test.each<[number, string, string?]>([
    [200, wrapPath],
    [404, `//app.example${wrapPath}`],
    [400, `/\\app.example${wrapPath}`],
    [400, `http://app.example${wrapPath}`],
    [403, wrapPath, 'evil.example'],
    [400, wrapPath, 'user@app.example'],
    [400, wrapPath, 'app.example#'],
    [400, '/health', `app.example${wrapPath}#`],
    [400, `/public/..${wrapPath}`],
    [400, `${wrapPath}#x`],
  ])('the response is %d for the request URL %s and the host %s', async (status, target, host) => {
    const answer = await raw(target, host);
    expect(answer.status).toBe(status);
    expect(answer.sent).toHaveLength(status === 200 ? 1 : 0);
  });

  test('toNodeHandler uses `originalUrl` if a router shortened `url`', async () => {
    const { post } = await serve({}, (req, next) => {
      Object.assign(req, { originalUrl: req.url, url: '/' });
      next();
    });
    expect((await post(JSON.stringify({ dek }))).status).toBe(200);
  });
});

test("nodeRequestOf returns the framework's request, including the session that the framework added", async () => {
  const { post } = await serve(
    {
      authorize: (request) => {
        const { session } = nodeRequestOf(request) as unknown as { session: { user: string } };
        return session.user === '42' ? all : undefined;
      },
    },
    (req, next) => {
      Object.assign(req, { session: { user: req.headers['cookie']?.slice(-2) } });
      next();
    },
  );
  expect((await post(JSON.stringify({ dek }), { cookie: 'user=42' })).status).toBe(200);
  expect((await post(JSON.stringify({ dek }), { cookie: 'user=43' })).status).toBe(403);
});

test('a call is aborted if the browser closes the connection', async () => {
  const signals: AbortSignal[] = [];
  const { port, handled, events } = await serve({
    fetch: (request) =>
      new Promise((_resolve, reject) => {
        const { signal } = request as Request;
        signals.push(signal);
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  });
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const request = send({ port, host: '127.0.0.1', path: wrapPath, method: 'POST', headers });
  request.on('error', () => undefined);
  request.end(JSON.stringify({ dek }));
  await expect.poll(() => signals.length).toBe(1);
  expect(signals[0]?.aborted).toBe(false);
  request.destroy();
  await expect.poll(() => signals[0]?.aborted).toBe(true);
  await Promise.all(handled);
  expect(events).toEqual([]);
});

test('the proxy emits no event if the connection closes before the whole body arrived', async () => {
  let asked = 0;
  const { port, sent, events, handled } = await serve({ authorize: () => (asked++, all) });
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST ${wrapPath} HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
  );
  await expect.poll(() => asked).toBe(1);
  socket.destroy();
  await Promise.all(handled);
  expect({ sent, events }).toEqual({ sent: [], events: [] });
});

test('the handler does not respond if the framework has already responded', async () => {
  const authorize = () => new Promise<undefined>((resolve) => setTimeout(resolve, 20));
  const { post, handled } = await serve({ authorize }, (_, next, res) => {
    next();
    res.writeHead(503).end();
  });
  expect((await post('{}')).status).toBe(503);
  await expect(Promise.all(handled)).resolves.toEqual([undefined]);
});

test('HTTP/2 works like HTTP/1.1', async () => {
  const { proxy, sent } = setUp();
  const server = createSecondServer((req, res) => void toNodeHandler(proxy)(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const client = connectSecond(`http://127.0.0.1:${port}`);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const stream = client.request({
    ':method': 'POST',
    ':path': wrapPath,
    origin: `http://127.0.0.1:${port}`,
    'content-type': 'application/json',
  });
  stream.end(JSON.stringify({ dek }));
  let answer = '';
  for await (const chunk of stream) answer += String(chunk);
  expect(JSON.parse(answer)).toEqual(wrapped);
  expect(sent).toMatchObject([{ body: { dek } }]);
});
