import { limits } from '@eaas/protocol/wire';
import { describe, expect, it } from 'vitest';
import { keyId } from '@eaas/protocol/reference';
import { listen, type Served, shareServer } from './testing/listen.ts';
import { watchDeadline } from './testing/watch-deadline.ts';
import { authorization } from './testing/memory-service.ts';

const serve = shareServer();
const json = { 'content-type': 'application/json' };

async function detailOf(response: Response): Promise<string> {
  const problem = (await response.json()) as { status: number; detail: string };
  expect(response.status).toBe(400);
  return problem.detail;
}

function postChunked({ fetch }: Served, ...chunks: Uint8Array[]): Promise<Response> {
  const body = new ReadableStream({
    pull: (controller) => {
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    },
  });
  return fetch('/v1/hash', { method: 'POST', headers: json, body, duplex: 'half' } as RequestInit);
}

describe('a body', () => {
  it.each([
    ['invalid JSON', '{', 'The body is not valid JSON.'],
    ['a leading U+FEFF', '\uFEFF{"value":"","key_id":""}', 'The body is not valid JSON.'],
    [
      'a lone surrogate',
      `{"value":"\\ud800","key_id":"x"}`,
      'A string has a lone surrogate: it is not valid Unicode.',
    ],
    ['a list', '[]', 'The body must be an object.'],
    ['no value', '{"key_id":"x"}', '`value` is missing.'],
    ['an unknown field', '{"value":"","key_id":"x","contxt":{}}', 'Unknown field `contxt`.'],
  ])('a body (%s) is refused with 400 and a detail about the error', async (_, body, detail) => {
    const { post } = await serve();
    expect(await detailOf(await post('/v1/hash', body))).toBe(detail);
  });

  it('a body without required fields gets 400 with the first missing field', async () => {
    const { fetch } = await serve();
    for (const init of [
      {},
      { headers: json },
      { headers: { 'content-type': 'text/plain' } },
      { body: '', headers: json },
    ]) {
      const response = await fetch('/v1/encrypt', { method: 'POST', ...init });
      expect(await detailOf(response)).toBe('`plaintext` is missing.');
    }
  });

  it('the server passes every character of a value in the body to the operation', async () => {
    const { post, service } = await serve();
    for (const value of ['', '\0', '\uFEFF', ' a ', '\u{1F600}', 'é', 'e\u0301']) {
      expect((await post('/v1/hash', { value, key_id: keyId })).status).toBe(200);
      expect(service.calls.at(-1)?.input).toEqual({ value, key_id: keyId });
    }
  });

  it('the server reads a body that arrives slowly, in chunks that split a character', async () => {
    const served = await serve();
    const bytes = Buffer.from(JSON.stringify({ value: '€', key_id: keyId }));
    const at = bytes.indexOf(0xe2) + 1;
    const response = await postChunked(served, bytes.subarray(0, at), bytes.subarray(at));
    expect(response.status).toBe(200);
    expect(served.service.calls[0]?.input).toMatchObject({ value: '€' });
  });
});

describe('the size of a body', () => {
  const filled = (size: number) => `{"items":[]${' '.repeat(size - 12)}}`;

  it.each([
    ['/v1/hash', limits.body],
    ['/v1/keys/x/wrap', limits.body],
    ['/v1/batch/wrap', limits.body],
  ])('the endpoint %s accepts a body of %i bytes and refuses a larger body', async (path, size) => {
    const { post } = await serve();
    expect((await post(path, filled(size))).status).toBe(400);
    const response = await post(path, filled(size + 1));
    expect([response.status, await response.json()]).toMatchObject([413, { code: 'too_large' }]);
  });

  it('a server that has refused a body closes before its deadline of ten seconds', async () => {
    const { app, post } = await listen();
    const isOverdue = watchDeadline(10);
    const response = await post('/v1/hash', filled(2 ** 21 + 1), { headers: { connection: 'keep-alive' } });
    expect(response.status).toBe(413);
    await app.close();
    expect(isOverdue()).toBe(false);
  });

  it('a body without a Content-Length has the same size limit', async () => {
    const chunk = Buffer.alloc(512 * 1024, ' ');
    expect(
      (await postChunked(await serve(), ...Array<Buffer>(4).fill(chunk), Buffer.from('{}'))).status,
    ).toBe(413);
  });
});

describe('the type of a body', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf-8; profile="https://api.example/v1"',
    'application/json; version=1 ; charset=utf-8;',
  ])('the Content-Type %s is accepted', async (type) => {
    const { post } = await serve();
    const response = await post(
      '/v1/hash',
      { value: '', key_id: 'x' },
      { headers: { 'content-type': type } },
    );
    expect(response.status).toBe(200);
  });

  it.each([
    'text/plain',
    'text/plain; x=application/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json; charset=latin1',
    'application/json; version=1; charset=utf-16',
    'application/json; charset=utf-8, text/plain',
    'application/json version=1',
    'x',
    '',
  ])('the Content-Type "%s" is refused with 415', async (type) => {
    const { post } = await serve();
    const response = await post(
      '/v1/hash',
      { value: '', key_id: 'x' },
      { headers: { 'content-type': type } },
    );
    expect([response.status, await response.json()]).toMatchObject([415, { code: 'unsupported_media_type' }]);
  });

  it('a compressed body is refused with 415', async () => {
    const { post } = await serve();
    const coded = (coding: string) =>
      post('/v1/hash', { value: '', key_id: '' }, { headers: { 'content-encoding': coding } });
    expect((await coded('gzip')).status).toBe(415);
    expect((await coded('identity')).status).toBe(200);
  });
});

describe('a call without body fields', () => {
  it.each([
    ['no body', ''],
    ['an empty object', '{}'],
    ['an empty object with space', ' {\n} '],
  ])('a call without body fields accepts %s with any Content-Type', async (_, body) => {
    const { exchange, service } = await serve();
    for (const type of [
      '',
      'Content-Type: application/json\r\n',
      'Content-Type: text/plain\r\n',
      'Content-Type: ;;\r\n',
    ]) {
      const head = `POST /v1/keys/${keyId}/disable HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\n`;
      const answer = await exchange(`${head}${type}Content-Length: ${body.length}\r\n\r\n${body}`);
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
    }
    expect(service.calls).toHaveLength(4);
  });

  it('a call without body fields refuses a list and an object with a field', async () => {
    const { post, exchange, service } = await serve();
    expect(await detailOf(await post(`/v1/keys/${keyId}/enable`, { name: 'x' }))).toBe(
      'Unknown field `name`.',
    );
    expect((await post(`/v1/keys/${keyId}/enable`, '[]')).status).toBe(400);
    const head = `GET /v1/keys HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\n`;
    expect(await exchange(`${head}Content-Length: 7\r\n\r\n{"a":1}`)).toContain('Unknown field `a`.');
    expect(service.calls).toEqual([]);
  });

  it('a call whose fields are all optional accepts an empty body', async () => {
    const { fetch, service } = await serve();
    expect((await fetch(`/v1/keys/${keyId}/rotate`, { method: 'POST' })).status).toBe(200);
    expect(service.calls[0]?.input).toEqual({ key_id: keyId });
  });
});
