import { describe, expect, test } from 'vitest';
import { asJson } from '@eaas/test-kit/api';
import { newTenant, ok } from '@eaas/test-kit/fixture';

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

  test('an integer can be written with a decimal point or an exponent', async () => {
    for (const spelling of ['1', '1.0', '1e0', '10E-1']) {
      const { key_id } = await tenant.newKey();
      const body = bytes(`{"key_version":${spelling}}`);
      expect(await tenant.api.send('POST', `/v1/keys/${key_id}/rotate`, body, asJson)).toHaveStatus(200);
    }
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
});
