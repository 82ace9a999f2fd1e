import { endpoints } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { dek, key, setUp, wrapPath } from '../../test/proxied.ts';

const otherRoutes = Object.keys(endpoints).filter((route) => !/\/(?:(?:un|re)?wrap|hash)$/.test(route));

test.each([
  '/',
  '/api/eaas',
  '/api/eaas/v1',
  `${wrapPath}/`,
  `/api/eaas//v1/keys/${key}/wrap`,
  `/api/eaas/v1//keys/${key}/wrap`,
  `//api/eaas/v1/keys/${key}/wrap`,
  `/api/eaasv1/keys/${key}/wrap`,
  `/x/api/eaas/v1/keys/${key}/wrap`,
  `/API/EAAS/v1/keys/${key}/wrap`,
  `/api/eaas/v1/keys/${key}/WRAP`,
  `/api/eaas/v1/keys/${key}/wrap;a=b`,
  `/api/eaas/v1/keys/${key}/wrap%20`,
  `/api/eaas/v1/keys/${key}%2fwrap`,
  `/api/eaas/v1/keys%2f${key}/wrap`,
  `/api/eaas/v1/keys/${key}/%77rap`,
  `/api/eaas/v1/keys/${key}/wrap/../rotate`,
  `/api/eaas/v1/keys/${key}/wrap/%2e%2e/rotate`,
  `/api/eaas/v1/keys/${key}/wrap/..%2frotate`,
  `/api/eaas/v1/keys/..%2f..%2fapi-keys%3f/wrap`,
  `/api/eaas/v1/keys/%2e%2e%2fkeys/wrap`,
  '/api/eaas/v1/keys/patients/wrap',
  `/api/eaas/v1/keys/{${key}}/wrap`,
  `/api/eaas/v1/keys/${key.replaceAll('-', '')}/wrap`,
  '/api/eaas/v1/keys//wrap',
  '/api/eaas/v1/keys/wrap',
  ...otherRoutes.map((route) => `/api/eaas${route.replace(/.* /, '').replace(':key_id', key)}`),
  '/api/eaas/v1/batch/encrypt',
  '/api/eaas/healthz',
  '/api/eaas/v1/batch',
  '/api/eaas/v1/hash/',
])('the response is 404 for the path %s', async (path) => {
  const { post, sent } = setUp();
  expect(await post(path, { dek })).toMatchObject({ status: 404, json: { code: 'not_found' } });
  expect(sent).toEqual([]);
});

test('dot segments in a path are resolved before the grant is checked', async () => {
  const asked: unknown[] = [];
  const { post } = setUp({ authorize: (_, { operation, keyId }) => void asked.push(operation, keyId) });
  await post(`/x/..${wrapPath}`, { dek });
  await post(`/api/eaas/v1/keys/${key}/unwrap/%2E%2E/wrap`, { dek });
  await post(`/api\\eaas/v1/keys/${key}/wrap`, { dek });
  expect(asked).toEqual(['wrap', key, 'wrap', key, 'wrap', key]);
});

test.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
  'the proxy responds to the method %s with 405 and does not call `authorize`',
  async (method) => {
    const { proxy } = setUp({
      authorize: () => {
        throw new Error('asked');
      },
    });
    const answer = await proxy(new Request(`https://app.example${wrapPath}`, { method }));
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
  },
);

test('the proxy ignores headers that override the method', async () => {
  const { post, sent } = setUp();
  const override = {
    'x-http-method-override': 'DELETE',
    'x-method-override': 'DELETE',
    'x-original-url': '/v1/keys',
  };
  expect(await post(wrapPath, { dek }, override)).toMatchObject({ status: 200 });
  expect(sent[0]?.url).toBe(`https://keys.example/v1/keys/${key}/wrap`);
  expect([...(sent[0]?.headers.keys() ?? [])]).toEqual(['accept', 'authorization', 'content-type']);
});

test.each(['?', '?a=1', '?context=1'])(
  'the proxy refuses query parameters, but accepts an empty query: %s',
  async (query) => {
    const { post, sent } = setUp();
    const { status } = await post(wrapPath + query, { dek });
    expect([status, sent.length]).toEqual(query === '?' ? [200, 1] : [400, 0]);
  },
);
