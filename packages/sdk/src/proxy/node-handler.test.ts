import { createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import { connect as connectSecond, createServer as createSecondServer } from 'node:http2';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { all, dek, setUp, wrapPath, wrapped } from '../../test/proxied.ts';
import { nodeRequestOf, type ProxyOptions, toNodeHandler } from './proxy.ts';

async function serve(
  options: Partial<ProxyOptions> = {},
  before: (req: IncomingMessage, next: () => void, res: ServerResponse) => void = (_, next) => next(),
) {
  const { proxy, sent, events } = setUp(options);
  const handled: Promise<void>[] = [];
  const handler = toNodeHandler(proxy);
  const server = createServer((req, res) => before(req, () => void handled.push(handler(req, res)), res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const post = (body: BodyInit, headers: Record<string, string> = {}, path = wrapPath) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: `http://127.0.0.1:${port}`, ...headers },
      body,
      duplex: 'half',
    } as RequestInit);
  return { post, port, sent, events, handled };
}

async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

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

function parsing(parse: (bytes: Buffer) => unknown) {
  return (req: IncomingMessage, next: () => void): void => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      Object.assign(req, { body: parse(Buffer.concat(chunks)) });
      next();
    });
  };
}

describe('request bodies in Node frameworks', () => {
  const json = JSON.stringify({ dek, context: { name: 'Zoë' } });
  const parsed = parsing((bytes) => JSON.parse(bytes.toString()) as unknown);
  const empty: typeof parsed = (req, next) => (Object.assign(req, { body: {} }), next());
  test.each([
    ['an unread body', undefined],
    ['a parsed body', parsed],
    ['the body as text', parsing((bytes) => bytes.toString())],
    ['the body as bytes', parsing((bytes) => bytes)],
    ['an empty object beside an unread body', empty],
  ])('the proxy reads the body if the framework passes %s', async (_, before) => {
    const { post, sent } = await serve({}, before);
    const answer = await post(json);
    expect([answer.status, await answer.json()]).toEqual([200, wrapped]);
    expect(sent).toMatchObject([{ body: { dek, context: { name: 'Zoë' } } }]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('the proxy accepts a body with `content-encoding: gzip` that the framework has decompressed and parsed', async () => {
    const decompressing = parsing(() => ({ dek }));
    const { post } = await serve({}, decompressing);
    expect((await post('…', { 'content-encoding': 'gzip' })).status).toBe(200);
  });

  test.each([
    ['nothing of a body that it read', json, parsing(() => undefined)],
    ['a parsed member `__proto__`', `{"dek":"${dek}","__proto__":{"context":{"user":"1"}}}`, parsed],
  ])('the response is 400 if the framework passes %s', async (_, body, before) => {
    const { post, sent } = await serve({}, before);
    expect((await post(body)).status).toBe(400);
    expect(sent).toEqual([]);
  });

  test('the connection stays open after the response to an oversized body', async () => {
    const { port, sent } = await serve();
    const head = `POST ${wrapPath} HTTP/1.1\r\nHost: app.example\r\nOrigin: http://app.example\r\nContent-Type: application/json\r\n`;
    const large = ' '.repeat(3 * 1024 * 1024);
    const chunk = `${large.length.toString(16)}\r\n${large}\r\n`;
    const last = JSON.stringify({ dek });
    const answers = await exchange(
      port,
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n` +
        `${head}Content-Length: ${large.length}\r\n\r\n${large}` +
        `${head}Connection: close\r\nContent-Length: ${last.length}\r\n\r\n${last}`,
    );
    const statuses = Array.from(answers.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
    expect(statuses).toEqual(['413', '413', '200']);
    expect(sent).toHaveLength(1);
  });

  test('a clone of a request contains only the first 2 to 3 MiB of an oversized body', async () => {
    let length = 0;
    const { post, sent } = await serve({
      async authorize(request) {
        length = (await request.clone().arrayBuffer()).byteLength;
        return all;
      },
    });
    expect((await post(new Uint8Array(20 * 1024 * 1024))).status).toBe(413);
    expect(length).toBeGreaterThan(2 * 1024 * 1024);
    expect(length).toBeLessThan(3 * 1024 * 1024);
    expect(sent).toEqual([]);
  });

  test('the connection stays open after the proxy refuses a request and drops its body', async () => {
    const { port } = await serve({ authorize: () => undefined });
    const body = ' '.repeat(1024 * 1024);
    const head = `POST ${wrapPath} HTTP/1.1\r\nHost: app.example\r\nOrigin: http://app.example\r\nContent-Length: ${body.length}\r\n`;
    const answers = await exchange(port, `${head}\r\n${body}${head}Connection: close\r\n\r\n${body}`);
    expect(answers.match(/HTTP\/1\.1 403/g)).toHaveLength(2);
  });
});
