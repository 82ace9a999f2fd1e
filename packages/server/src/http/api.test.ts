import { endpoints, type Endpoint, type Route } from '@eaas/protocol/wire';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { splitRoute } from '@eaas/protocol/internal-service';
import { callOf, exampleOf, keyId, tenantId } from '@eaas/protocol/internal-reference';
import { Fair } from '../fair.ts';
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
    ['an unknown parameter', '/v1/keys/x/disable?x=1', {}],
  ])('the API checks the credentials against the database before it refuses %s', async (_, path, init) => {
    const { fetch, service } = await listen();
    await fetch('/v1/usage');
    service.calls.length = 0;
    service.isRevoked = true;
    expect((await fetch(path, { method: 'POST', ...init })).status).toBe(401);
    expect(service.calls).toEqual([]);
  });

  it('a call takes more of the server for a long body, a batch, a list and a verification', async () => {
    const fair = new Fair();
    const costs: number[] = [];
    const enter = fair.enter.bind(fair);
    fair.enter = (of, cost, ...more) => {
      costs.push(cost);
      enter(of, cost, ...more);
    };
    const { fetch, post } = await listen(memoryService({ fair }));
    await post('/v1/hash', 'x');
    await post('/v1/hash', 'x'.repeat(300 * 1024));
    await post('/v1/hash', 'x'.repeat(1_900 * 1024));
    for (const kib of [1, 19, 190]) await post('/v1/batch/unwrap', 'x'.repeat(kib * 1024));
    for (const path of ['/v1/usage', '/v1/keys', '/v1/issuers', '/v1/audit/verify']) await fetch(path);
    expect(costs).toEqual([1, 10, 33, 1, 10, 21, 1, 16, 33, 31]);
  });

  it.each(routes)('%s takes more than a wrap if it shows a list of records', (_, endpoint) => {
    const lists = Object.values(endpoint.output.shape).filter(
      (field) => field instanceof z.ZodMiniArray && field._zod.def.element instanceof z.ZodMiniObject,
    );
    expect(endpoint.cost ?? 1).toBeGreaterThanOrEqual(lists.length > 0 ? 16 : 1);
  });

  it('if an output violates its schema, the response is 500 and no value is logged', async () => {
    const { post, log } = await listen(
      memoryService({}, { 'POST /v1/decrypt': { plaintext: ['very secret'] } }),
    );
    const response = await post('/v1/decrypt', { ciphertext: 'AAAA', key_id: keyId, key_version: 1 });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'internal', type: 'about:blank' });
    expect(log.join('')).toContain('POST /v1/decrypt does not match its schema at plaintext');
    expect(log.join('')).not.toContain('very secret');
  });
});

it('the server makes a request id of its own for each response', async () => {
  const { fetch } = await serve();
  const headers = { 'x-request-id': '00000000-0000-4000-8000-000000000000' };
  const paths = ['/v1/keys', '/v1/nothing', '/healthz', '/metrics', '/v1/keys'];
  const ids = await Promise.all(
    paths.map(async (path) => (await fetch(path, { headers })).headers.get('x-request-id')),
  );
  for (const id of ids) expect(id).toMatch(uuid);
  expect(new Set([...ids, headers['x-request-id']]).size).toBe(paths.length + 1);
});

it('only what a route names is served, and HEAD works like GET except under /v1', async () => {
  const { fetch, exchange } = await serve();
  const statusOf = async (path: string, method = 'GET') => (await fetch(path, { method })).status;
  for (const path of ['/favicon.ico', '/v1/keys/', '/V1/keys']) expect(await statusOf(path)).toBe(404);
  expect(await statusOf('/v1/hash', 'OPTIONS')).toBe(405);
  expect(await statusOf('/v1/keys', 'HEAD')).toBe(405);
  expect(await statusOf('/healthz', 'HEAD')).toBe(200);
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs']) {
    expect((await fetch(path, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD');
  }
  expect((await fetch('/v1/keys', { method: 'PUT' })).headers.get('allow')).toBe('POST, GET');
  const head = 'QUERY /v1/keys HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  expect(await exchange(head)).toMatch(/^HTTP\/1.1 405 /);
});
