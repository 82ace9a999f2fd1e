import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { asJson } from '@eaas/test-kit/api';
import { newTenant, ok, target } from '@eaas/test-kit/fixture';

const tenant = await newTenant();
const key = await tenant.newKey();

const bytes = (text: string) => new TextEncoder().encode(text);
const hash = (body: BodyInit, headers?: Record<string, string>) =>
  tenant.api.send('POST', '/v1/hash', body, headers ?? asJson);
const valid = () => JSON.stringify({ key_id: key.key_id, value: 'x' });

describe('JSON', () => {
  test('of duplicate names in JSON the last counts, also of an escaped or nested name', async () => {
    const id = `"key_id":"${key.key_id}"`;
    const { body } = await hash(valid());
    const twice = await hash(bytes(`{${id},"value":"y","v\\u0061lue":"x"}`));
    expect(twice).toHaveStatus(200);
    expect(twice.body).toStrictEqual(body);
    expect(await hash(bytes(`{${id},"value":"x","value":1}`))).toBeProblem('bad_request', /value/);
    const nested = `{${id},"plaintext":"x","context":{"a":"1","a":"2"}}`;
    const bundle = ok(await tenant.api.send('POST', '/v1/encrypt', bytes(nested), asJson)) as object;
    const decrypt = (context: object) => tenant.api.post('/v1/decrypt', { ...bundle, context });
    expect(await decrypt({ a: '2' })).toHaveStatus(200);
    expect(await decrypt({ a: '1' })).toBeProblem('decryption_failed');
  });

  test('JSON with more than eight nested levels returns 400', async () => {
    const { key_id } = await tenant.newKey({ exportable: true });
    const nested = (levels: number) => {
      const deep = `${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}`;
      const n = Buffer.alloc(384, 0xa5).toString('base64url');
      const body = `{"public_key":{"kty":"RSA","e":"AQAB","n":"${n}","x5c":${deep}}}`;
      return tenant.api.send('POST', `/v1/keys/${key_id}/export`, bytes(body), asJson);
    };
    expect(await nested(8)).toHaveStatus(200);
    expect(await nested(9)).toBeProblem('bad_request');
    expect(await nested(500_000)).toBeProblem('bad_request');
  });

  test.for([
    ['an invalid byte', Buffer.from([0x22, 0xff, 0x22])],
    ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['a character cut off', Buffer.from([0x22, 0xe2, 0x82, 0x22])],
    ['a lone high surrogate', bytes('"\\ud800"')],
    ['a lone low surrogate', bytes('"a\\udc00b"')],
  ] as const)('invalid UTF-8 and lone surrogates return 400: %s', async ([, text]) => {
    const before = bytes(`{"key_id":"${key.key_id}","value":`);
    const body = Buffer.concat([before, text, bytes('}')]);
    expect(await hash(body)).toBeProblem('bad_request');
    const inName = Buffer.concat([bytes(`{"key_id":"${key.key_id}","value":"x",`), text, bytes(':1}')]);
    expect(await hash(inName)).toBeProblem('bad_request');
  });

  test('a surrogate pair is accepted, escaped or not', async () => {
    const escaped = await hash(bytes(`{"key_id":"${key.key_id}","value":"\\ud83c\\udf0d"}`));
    const plain = await hash(bytes(`{"key_id":"${key.key_id}","value":"🌍"}`));
    expect(escaped).toHaveStatus(200);
    expect(escaped.body).toStrictEqual(plain.body);
  });

  test('an integer can be written with a decimal point or an exponent', async () => {
    for (const spelling of ['1', '1.0', '1e0', '10E-1']) {
      const { key_id } = await tenant.newKey();
      const body = bytes(`{"key_version":${spelling}}`);
      expect(await tenant.api.send('POST', `/v1/keys/${key_id}/rotate`, body, asJson)).toHaveStatus(200);
    }
  });

  test('the error about an unknown field names the field, shortened to 64 characters', async () => {
    const name = 'f'.repeat(64);
    const body = { key_id: key.key_id, value: 'x', [`${name}tail`]: 1 };
    const answer = await tenant.api.post('/v1/hash', body);
    expect(answer).toBeProblem('bad_request', new RegExp(name));
    expect(answer.text).not.toContain(`${name}t`);
  });
});

describe('bodies', () => {
  const json = { 'content-type': 'application/json' };

  test.for([
    ['none', undefined, {}],
    ['an empty body, with a Content-Type', new Uint8Array(), json],
    ['{} and white space', bytes(' {\n} '), json],
    ['{}, with another Content-Type', bytes('{}'), { 'content-type': 'text/plain' }],
  ] as const)('an endpoint without body fields accepts %s', async ([, body, headers]) => {
    const { key_id } = await tenant.newKey();
    const { record } = await tenant.issue();
    const send = (method: string, path: string) => tenant.api.send(method, path, body, headers);
    expect(await send('POST', `/v1/keys/${key_id}/disable`)).toHaveStatus(200);
    expect(await send('POST', `/v1/keys/${key_id}/enable`)).toHaveStatus(200);
    ok(await tenant.api.post(`/v1/keys/${key_id}/disable`));
    expect(await send('DELETE', `/v1/keys/${key_id}`)).toHaveStatus(202);
    expect(await send('POST', `/v1/keys/${key_id}/restore`)).toHaveStatus(200);
    expect(await send('DELETE', `/v1/api-keys/${record.api_key_id}`)).toHaveStatus(200);
  });

  test.for([
    'Application/JSON',
    'application/json;charset="UTF-8"',
    'application/json; version=1 ; charset=utf-8;',
  ])('an endpoint with body fields accepts the Content-Type %s', async (type) => {
    expect(await hash(bytes(valid()), { 'content-type': type })).toHaveStatus(200);
  });

  test('a body of more than 2 MiB is refused', async () => {
    const most = 2 * 1024 * 1024;
    for (const [path, body] of [
      ['/v1/hash', valid()],
      ['/v1/batch/hash', `{"items":[${valid()}]}`],
    ] as const) {
      const send = (length: number) => tenant.api.send('POST', path, bytes(body.padEnd(length)), asJson);
      expect(await send(most)).toHaveStatus(200);
      expect(await send(most + 1)).toBeProblem('too_large');
    }
  });

  test('a body of more than 2 MiB is refused even without a Content-Length', async () => {
    const chunk = bytes(' '.repeat(256 * 1024));
    const send = async (chunks: number) => {
      const parts = [bytes(valid()), ...Array.from({ length: chunks }, () => chunk)];
      const { baseUrl } = await target();
      const response = await fetch(`${baseUrl}/v1/hash`, {
        method: 'POST',
        headers: { ...asJson, authorization: `Bearer ${tenant.api.token}` },
        body: Readable.toWeb(Readable.from(parts)),
        duplex: 'half',
      } as RequestInit);
      return response.status;
    };
    expect(await send(7)).toBe(200);
    expect(await send(8)).toBe(413);
  });
});

test('the server has no rate limit and sends no rate headers', async () => {
  const answers = await Promise.all(Array.from({ length: 500 }, () => hash(bytes(valid()))));
  expect(new Set(answers.map((answer) => answer.status))).toStrictEqual(new Set([200]));
  const names = answers.flatMap((answer) => Array.from(answer.headers.keys()));
  expect(names.filter((name) => /rate-?limit/i.test(name))).toStrictEqual([]);
});
