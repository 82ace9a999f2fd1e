import { endpoints, type Endpoint, type Route } from '@eaas/protocol/wire';
import { describe, expect, it } from 'vitest';
import { splitRoute } from '@eaas/protocol/internal-service';
import { callOf, exampleOf, keyId, tenantId } from '@eaas/protocol/reference';
import { listen, shareServer } from './testing/listen.ts';
import { memoryService } from './testing/memory-service.ts';

const routes = Object.entries(endpoints) as [Route, Endpoint][];
const serve = shareServer();

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

function exampleRequest(route: (typeof routes)[number][0]): [path: string, init: RequestInit] {
  const { method, path } = splitRoute(route);
  const { path: names, query, body } = exampleOf(route);
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const url = path.replace(/:(\w+)/g, (_, name: string) => String(names[name]));
  const hasBody = Object.keys(body).length > 0;
  return [
    search.size > 0 ? `${url}?${search}` : url,
    {
      method,
      ...(hasBody && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    },
  ];
}

describe('the endpoint table over HTTP', () => {
  it.each(routes)(
    'the endpoint %s responds with the documented example and status',
    async (route, endpoint) => {
      const { fetch, service } = await serve();
      const [path, init] = exampleRequest(route);
      const response = await fetch(path, init);

      expect(response.status).toBe(endpoint.status ?? 200);
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('cache-control')).toBe(
        route === 'GET /v1/keys/:key_id/public-key' ? 'private, max-age=300' : 'no-store',
      );
      expect(response.headers.get('x-request-id')).toMatch(uuid);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('strict-transport-security')).toBeNull();
      expect(response.headers.get('server')).toBeNull();
      expect(response.headers.get('x-powered-by')).toBeNull();
      expect(await response.json()).toEqual(callOf(route).output);
      expect(service.calls).toMatchObject([{ route, caller: { tenantId } }]);
      expect(service.calls[0]?.input).toEqual(callOf(route).input);
      expect(service.arrivals[0]).toMatchObject({ route, ipAddress: '127.0.0.1' });
    },
  );

  it.each<[what: string, path: string, init: RequestInit]>([
    ['a body that is not JSON', '/v1/hash', { body: '{', headers: { 'content-type': 'application/json' } }],
    ['another media type', '/v1/hash', { body: '{}', headers: { 'content-type': 'text/plain' } }],
    ['a missing field', '/v1/hash', { body: '{}', headers: { 'content-type': 'application/json' } }],
    ['an unknown parameter', '/v1/keys/x/disable?x=1', {}],
  ])('the API checks the credentials against the database before it refuses %s', async (_, path, init) => {
    const { fetch, service } = await listen();
    await fetch('/v1/usage');
    service.calls.length = 0;
    service.isRevoked = true;
    expect((await fetch(path, { method: 'POST', ...init })).status).toBe(401);
    expect(service.calls).toEqual([]);
  });

  it('a response that creates a resource has a Location header', async () => {
    const { post } = await serve();
    const key = await post('/v1/keys', { name: 'patients' });
    expect(key.headers.get('location')).toBe(`/v1/keys/${keyId}`);
    const apiKey = await post('/v1/api-keys', { name: 'ci', permissions: ['encrypt'] });
    expect(apiKey.headers.get('location')).toMatch(/^\/v1\/api-keys\/[\da-f-]{36}$/);
  });

  it('the server passes any path parameter unchanged to the operation', async () => {
    const { fetch, service } = await serve();
    for (const name of ['patients', 'a%2Fb', 'x'.repeat(5_000), '%E2%82%AC']) {
      expect((await fetch(`/v1/keys/${name}`)).status).toBe(200);
    }
    expect(service.calls.map(({ input }) => input)).toMatchObject([
      { key_id: 'patients' },
      { key_id: 'a/b' },
      {},
      { key_id: '€' },
    ]);
  });

  it('a response has only the fields of the output schema', async () => {
    const { fetch } = await listen(
      memoryService({}, { 'GET /v1/usage': { ...callOf('GET /v1/usage').output, token_hash: 'secret' } }),
    );
    expect(await (await fetch('/v1/usage')).text()).not.toContain('secret');
  });

  it('if an output violates its schema, the response is 500 and no value is logged', async () => {
    const { post, log } = await listen(
      memoryService({}, { 'POST /v1/decrypt': { plaintext: ['very secret'] } }),
    );
    const response = await post('/v1/decrypt', { ciphertext: 'AAAA', key_id: keyId, key_version: 1 });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'internal', type: 'about:blank' });
    expect(log.join('')).toContain('"code":"POST_v1_decrypt_plaintext"');
    expect(log.join('')).not.toContain('very secret');
  });
});

describe('the order of checks', () => {
  const expectProblem = async (response: Response, status: number, code: string) => {
    expect([response.status, await response.json()]).toMatchObject([status, { status, code }]);
    return response;
  };

  it('an unknown path or method is refused (404, 405) before the credentials are checked (401)', async () => {
    const { fetch } = await serve();
    const anonymous = { headers: { authorization: '' } };
    await expectProblem(await fetch('/v1/nothing', anonymous), 404, 'not_found');
    await expectProblem(await fetch('/favicon.ico', anonymous), 404, 'not_found');
    await expectProblem(await fetch('/v1/keys/', anonymous), 404, 'not_found');
    await expectProblem(await fetch('/V1/keys', anonymous), 404, 'not_found');
    const put = await fetch('/v1/keys', { ...anonymous, method: 'PUT', body: 'x' });
    expect(put.headers.get('allow')).toBe('POST, GET');
    await expectProblem(put, 405, 'method_not_allowed');
    const options = await fetch('/v1/hash', { ...anonymous, method: 'OPTIONS' });
    await expectProblem(options, 405, 'method_not_allowed');
  });

  it('HEAD works like GET except under /v1', async () => {
    const { fetch } = await serve();
    expect((await fetch('/v1/keys', { method: 'HEAD' })).status).toBe(405);
    expect((await fetch('/healthz', { method: 'HEAD' })).status).toBe(200);
    expect((await fetch('/healthz', { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD');
  });

  it.each(routes.filter(([, { body }]) => body))(
    '%s responds with 401 before it reads the body',
    async (route) => {
      const { exchange, service } = await serve();
      const { method, path } = splitRoute(route);
      const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
      const answer = await exchange(`${head}Content-Type: text/plain\r\nContent-Length: 999999999\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n/);
      expect(answer).toMatch(/\r\nwww-authenticate: Bearer\r\n/i);
      expect(service.calls).toEqual([]);
    },
  );
});

it('every route of the table is served', () => {
  expect(routes.map(([route]) => route)).toEqual(Object.keys(endpoints));
  expect(routes.every(([, endpoint]: [unknown, Endpoint]) => endpoint.permission)).toBe(true);
});
