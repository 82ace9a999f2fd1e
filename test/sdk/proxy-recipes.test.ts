import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EaasBrowserClient, type EaasError } from '@eaas/sdk/browser';
import { createProxy, nodeRequestOf, type ProxyOptions, toNodeHandler } from '@eaas/sdk/proxy';
import { createTestService } from '@eaas/sdk/testing';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { express, Hono } from './frameworks.ts';

// Runs each recipe in the manual of the proxy. A page then encrypts and decrypts through the proxy.

const service = createTestService();
const { key_id: keyId } = service.createKey('patients');
const { baseUrl, apiKey, fetch: toService } = service;

function grantOf(user: string | undefined) {
  return user === 'ada'
    ? { keys: [keyId], operations: ['wrap', 'unwrap'] as const, context: { user } }
    : undefined;
}

const userOf = (cookies: string | null | undefined) => /^user=(\w+)$/.exec(cookies ?? '')?.[1];
const authorize: ProxyOptions['authorize'] = (request) => grantOf(userOf(request.headers.get('cookie')));
const options = { baseUrl, apiKey, fetch: toService, authorize };

async function tryOut(origin: string, send: (request: Request) => Promise<Response>): Promise<unknown[]> {
  const page = (user: string) =>
    new EaasBrowserClient({
      proxyUrl: `${origin}/api/eaas`,
      keyId,
      headers: { cookie: `user=${user}`, origin, 'sec-fetch-site': 'same-origin' },
      retries: 0,
      fetch: (input, init) => send(new Request(input, init)),
    });
  await using ada = page('ada');
  const bundles = await ada.encryptMany(['a', 'b'], { fresh: true });
  const values = bundles.map((bundle) => (bundle.ok ? bundle.value : ''));
  await using later = page('ada');
  const opened = await later.decryptMany(values);
  const refused = await page('eve')
    .encrypt('c')
    .catch((error: unknown) => (error as EaasError).code);
  return [...opened.map((one) => one.ok && Buffer.from(one.value).toString()), refused];
}

const works = ['a', 'b', 'permission_missing'];

async function listening(server: Server): Promise<string> {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('the recipe for Next.js works with the second argument of a route handler', async () => {
  const POST = createProxy(options);
  const handler: (request: Request, more: object) => Promise<Response> = POST;
  const params = Promise.resolve({ path: ['v1', 'batch', 'wrap'] });
  expect(await tryOut('https://app.example', (request) => handler(request, { params }))).toEqual(works);
});

test('the recipe for Hono works, also for other frameworks with Request and Response', async () => {
  const proxy = createProxy(options);
  const app = new Hono();
  app.all('/api/eaas/*', (c) => proxy(c.req.raw));
  expect(await tryOut('https://app.example', app.fetch)).toEqual(works);
});

test.each([
  ['on its own', false],
  ['behind express.json()', true],
])('the recipe for Express works %s, with the session of a middleware', async (_, parsed) => {
  const app = express();
  if (parsed) app.use(express.json());
  app.use((req, _res, next) => {
    req.session = { userId: userOf(req.headers.cookie) ?? '' };
    next();
  });
  const proxy = createProxy({
    ...options,
    authorize: (request) => grantOf((nodeRequestOf(request) as express.Request).session?.userId),
  });
  app.use('/api/eaas', toNodeHandler(proxy));
  expect(await tryOut(await listening(app.listen(0)), fetch)).toEqual(works);
});

test('the recipe for Fastify works if Fastify does not read the body first', async () => {
  const handle = toNodeHandler(createProxy(options));
  const app = Fastify();
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.all('/api/eaas/*', async (request, reply) => {
      reply.hijack();
      await handle(request.raw, reply.raw);
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  expect(await tryOut(await listening(app.server), fetch)).toEqual(works);
});
