import { createBrowserClient } from '@eaas/sdk/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { savePageCode } from '@eaas/test-kit/page-code';
import { openService, type RunningService } from '../runtimes/service.ts';
import { composeApp, type Framework, type RunningApp, startApp } from './app.ts';

const serverOf = (name: string, folder: Framework['folder']): Framework => ({
  name,
  folder,
  start: () => ['server.js'],
});

const frameworks: readonly Framework[] = [
  serverOf('Express', 'express'),
  serverOf('Hono', 'hono'),
  serverOf('Fastify', 'fastify'),
  {
    name: 'Next.js',
    folder: 'next',
    modules: 'lib/',
    build: ['../node_modules/next/dist/bin/next', 'build'],
    start: (port) => ['../node_modules/next/dist/bin/next', 'start', '--port', String(port)],
  },
  {
    name: 'SvelteKit',
    folder: 'sveltekit',
    modules: 'src/lib/server/',
    build: ['../node_modules/vite/bin/vite.js', 'build'],
    start: () => ['build/index.js'],
    env: (origin) => ({ ORIGIN: origin, BODY_SIZE_LIMIT: '2M' }),
  },
];

const limit = 2 * 2 ** 20;
const dek = Buffer.alloc(32, 7).toString('base64');
let service: RunningService;

beforeAll(async () => {
  service = await openService();
});

afterAll(async () => {
  await service.close();
});

describe.each(frameworks)('$name', (framework) => {
  let app: RunningApp;
  let keyId: string;
  let wrapUrl: string;

  beforeAll(async () => {
    const place = await composeApp(framework);
    const settled = await service.settle(framework.folder);
    ({ keyId } = settled);
    const { baseUrl, apiKey } = settled;
    app = await startApp(framework, place, {
      EAAS_BASE_URL: baseUrl,
      EAAS_API_KEY: apiKey,
      EAAS_KEY_ID: keyId,
    });
    wrapUrl = `${app.origin}/api/eaas/v1/keys/${keyId}/wrap`;
  });

  afterAll(() => app.stop());

  const post = (url: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: app.origin,
        'sec-fetch-site': 'same-origin',
        cookie: 'session=42',
        ...headers,
      },
      body,
    });

  test('a client with a session encrypts and decrypts through the proxy', async () => {
    const client = () =>
      createBrowserClient({
        proxyUrl: `${app.origin}/api/eaas`,
        keyId,
        headers: { cookie: 'session=42', origin: app.origin, 'sec-fetch-site': 'same-origin' },
        retries: 0,
      });
    await using writer = client();
    const bundles = await writer.encryptMany(['a', 'b'], { fresh: true });
    const values = bundles.map((bundle) => (bundle.ok ? bundle.value : ''));
    await using reader = client();
    const opened = await reader.decryptMany(values);
    expect(opened.map((one) => one.ok && Buffer.from(one.value).toString())).toEqual(['a', 'b']);
    expect(app.events()).toEqual([]);
  });

  test('the proxy refuses another origin with 403 and reports an event', async () => {
    const evil = 'https://evil.example';
    const answer = await post(wrapUrl, JSON.stringify({ dek }), {
      origin: evil,
      'sec-fetch-site': 'cross-site',
    });
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'origin_refused' }]);
    await expect
      .poll(() => app.events())
      .toEqual([
        { type: 'origin_refused', origin: evil, secFetchSite: 'cross-site', expected: [app.origin] },
      ]);
  });

  test('the proxy refuses a body above its limit with 413', async () => {
    const item = JSON.stringify({ items: [{ key_id: keyId, dek }] });
    const batch = (bytes: number): Promise<Response> =>
      post(`${app.origin}/api/eaas/v1/batch/wrap`, item.padEnd(bytes));
    for (const refused of [
      await post(wrapUrl, JSON.stringify({ dek }).padEnd(limit + 1)),
      await batch(limit + 1),
    ]) {
      expect([refused.status, await refused.json()]).toMatchObject([413, { code: 'too_large' }]);
    }
    const passed = await batch(limit);
    expect([passed.status, await passed.json()]).toMatchObject([200, { results: [{ key_id: keyId }] }]);
  });
});

test.each(frameworks.filter(({ modules }) => modules === undefined))(
  'the files of $name type-check with the types of the framework',
  async (framework) => {
    const place = await composeApp(framework);
    expect(await savePageCode(place, {}).compile()).toBe('');
  },
);
