import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import { all, dek, wrapPath, wrapped } from '../../test/proxied.ts';
import { exchange, serve } from '../../test/served-proxy.ts';

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
