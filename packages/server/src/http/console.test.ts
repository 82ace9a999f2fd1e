import { describe, expect, it } from 'vitest';
import { Refusal } from '@eaas/service';
import type { ConsoleOptions } from './console.ts';
import { listen, type Served, shareServer } from './testing/listen.ts';
import { authorization, memoryService } from './testing/memory-service.ts';

const page = (url: string, type: string, content: string, isHashed = false) => ({
  url,
  type,
  bytes: Buffer.from(content),
  isHashed,
});
const pages = [
  page('/', 'text/html; charset=utf-8', '<h1>Playground – grün</h1>'),
  page('/console/', 'text/html; charset=utf-8', '<h1>Console</h1>'),
  page('/console/assets/app-1a2b.js', 'text/javascript; charset=utf-8', 'export {};', true),
];
const session = {
  api_key: 'eaas_sk_new',
  expires_at: '2027-01-01T00:00:00.000Z',
  tenant: 'dev',
};
const signIn = async (code: string) => {
  if (code !== 'right') throw new Refusal('unauthorized', 'The sign-in code is wrong.');
  return session;
};

const consoleOptions = { pages, publicUrl: null };
const serve = shareServer(undefined, { console: consoleOptions });
const serveSignIn = shareServer(undefined, { console: consoleOptions, signIn });
const serveOff = shareServer();
const serveConsole = (options?: Partial<ConsoleOptions>) =>
  options ? listen(memoryService(), { console: { ...consoleOptions, ...options } }) : serve();

describe('the pages', () => {
  it('the console sends a strict Content-Security-Policy, and lets browsers keep only files with a hash in their name', async () => {
    const { fetch } = await serveConsole();
    const [root, script] = [await fetch('/'), await fetch('/console/assets/app-1a2b.js')];
    expect([root.status, await root.text()]).toEqual([200, '<h1>Playground – grün</h1>']);
    expect(Object.fromEntries(root.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await (await fetch('/console/')).text()).toBe('<h1>Console</h1>');
    expect((await fetch('/', { method: 'HEAD' })).headers.get('content-type')).toContain('text/html');
  });

  it('only the fixed paths of the console return a file of the console package', async () => {
    const { fetch, exchange } = await serveConsole();
    for (const path of ['/index.html', '/console/assets/', '/console/assets/other.js']) {
      expect({ path, status: (await fetch(path)).status }).toEqual({ path, status: 404 });
    }
    for (const path of ['/console/../package.json', '/console/assets/..%2f..%2fpackage.json']) {
      const answer = await exchange(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 404 /);
    }
    expect((await fetch('/', { method: 'POST' })).status).toBe(405);
  });

  it('the paths / and /console redirect to the console if the playground is switched off', async () => {
    const withoutPlayground = pages.filter(({ url }) => url !== '/');
    const { fetch } = await serveConsole({ pages: withoutPlayground });
    for (const path of ['/', '/console']) {
      const moved = await fetch(path, { redirect: 'manual' });
      expect([moved.status, moved.headers.get('location')]).toEqual([302, '/console/']);
    }
    expect((await fetch('/console/')).status).toBe(200);
  });

  it('the path / redirects to the API reference if the console is not installed', async () => {
    const { fetch } = await serveConsole({ pages: null });
    const moved = await fetch('/', { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/docs']);
    expect((await fetch('/console/')).status).toBe(404);
  });

  it('requests for the console and for /console/session get 404 if the console is off', async () => {
    const { fetch, post } = await serveOff();
    for (const path of ['/', '/console', '/console/', '/console/assets/app-1a2b.js']) {
      expect({ path, status: (await fetch(path)).status }).toEqual({ path, status: 404 });
    }
    expect((await post('/console/session', { code: 'right' })).status).toBe(404);
  });
});

describe('the Origin header', () => {
  it.each(['localhost', '127.0.0.1', '[::1]'])(
    'the server accepts the Origin header in requests of its own pages at %s',
    async (host) => {
      const { port, fetch, service } = await serveConsole();
      const response = await fetch('/v1/keys', { headers: { origin: `http://${host}:${port}` } });
      expect([response.status, service.arrivals.at(-1)?.origin]).toEqual([200, undefined]);
    },
  );

  it.each([
    ['another scheme', (port: number) => `https://localhost:${port}`],
    ['another host', (port: number) => `http://evil.example:${port}`],
  ])('a request whose Origin has %s is refused', async (_, originOf) => {
    const { port, fetch } = await serveConsole();
    const response = await fetch('/v1/keys', { headers: { origin: originOf(port) } });
    expect([response.status, await response.json()]).toMatchObject([403, { code: 'origin_refused' }]);
  });

  it('the Host header says nothing about the origin of the pages', async () => {
    const { exchange } = await serveConsole();
    const headers = `Host: evil.example\r\nOrigin: http://evil.example\r\nAuthorization: ${authorization}\r\n`;
    const answer = await exchange(`GET /v1/keys HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 403 /);
  });

  it('if EAAS_PUBLIC_URL is set, the Origin header is compared only with EAAS_PUBLIC_URL', async () => {
    const { port, fetch } = await serveConsole({ publicUrl: 'https://eaas.example' });
    const statusOf = async (origin: string) => (await fetch('/v1/keys', { headers: { origin } })).status;
    expect(await statusOf('https://eaas.example')).toBe(200);
    expect(await statusOf(`http://localhost:${port}`)).toBe(403);
  });

  it('if the console is off, requests with the origin of the server itself are refused', async () => {
    const { port, fetch } = await serveOff();
    const origin = `http://localhost:${port}`;
    expect((await fetch('/v1/keys', { headers: { origin } })).status).toBe(403);
  });
});

describe('POST /console/session', () => {
  const signInFrom = async ({ port, post }: Served, body: unknown) =>
    post('/console/session', body, { headers: { origin: `http://127.0.0.1:${port}` } });

  it('POST /console/session exchanges a code for an API key, and refuses a wrong one', async () => {
    const served = await serveSignIn();
    const response = await signInFrom(served, { code: 'right' });
    expect([response.status, await response.json()]).toEqual([201, session]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(served.log.join('')).not.toMatch(/eaas_sk_|"right"/);
    const refused = await signInFrom(served, { code: 'wrong' });
    expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'unauthorized' }]);
  });

  it('POST /console/session refuses other origins and requests without an Origin', async () => {
    const { post } = await serveSignIn();
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }]) {
      const response = await post('/console/session', { code: 'right' }, { headers });
      expect([response.status, await response.json()]).toMatchObject([403, { code: 'origin_refused' }]);
    }
  });
});
