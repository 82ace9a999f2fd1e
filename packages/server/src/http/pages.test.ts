import { createHash } from 'node:crypto';
import { openApiDocument } from '@eaas/protocol/internal-reference';
import { describe, expect, it } from 'vitest';
import { Fair } from '../fair.ts';
import { listen } from './testing/listen.ts';
import { memoryService } from './testing/memory-service.ts';

describe('/healthz and /readyz', () => {
  it('/healthz reports that the process runs, and /readyz that the service can work', async () => {
    const { fetch } = await listen();
    const anonymous = { headers: { authorization: '' } };
    expect(await (await fetch('/healthz', anonymous)).json()).toEqual({ status: 'ok' });
    const ready = await fetch('/readyz', anonymous);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  });

  it('/readyz reports why the service cannot work, and /healthz that the process runs', async () => {
    const reasons = ['the database is away'];
    const { fetch } = await listen(memoryService({ health: async () => ({ ready: false, reasons }) }));
    const response = await fetch('/readyz');
    expect([response.status, await response.json()]).toEqual([503, { status: 'not ready', reasons }]);
    expect((await fetch('/healthz')).status).toBe(200);
  });
});

describe('/metrics', () => {
  it('/metrics counts requests by route and status', async () => {
    const { fetch, post } = await listen();
    await fetch('/v1/keys/one');
    await fetch('/v1/keys/two');
    await post('/v1/hash', {});
    await fetch('/v1/nothing/secret');
    await fetch('/v1/keys', { method: 'PROPFIND' });
    const response = await fetch('/metrics');
    const text = await response.text();
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(text).toContain(
      'eaas_http_requests_total{method="GET",route="/v1/keys/:key_id",status="200"} 2\n',
    );
    expect(text).toContain('eaas_http_requests_total{method="POST",route="/v1/hash",status="400"} 1\n');
    expect(text).toContain('eaas_http_requests_total{method="",route="",status="404"} 1\n');
    expect(text).toContain('eaas_http_requests_total{method="",route="",status="405"} 1\n');
    expect(text).toContain('_bucket{le="+Inf",method="GET",route="/v1/keys/:key_id"} 2\n');
    expect(text).toContain('_count{method="GET",route="/v1/keys/:key_id"} 2\n');
    expect(text).not.toContain('secret');
    expect(text).toMatch(/\neaas_example 1\n$/);
    for (const line of text.trim().split(/\n+/)) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+)$/);
    }
  });
});

describe('requests without a tenant', () => {
  const console = {
    publicUrl: null,
    pages: [{ url: '/', type: 'text/html', bytes: Buffer.from('<h1>Playground</h1>'), isHashed: false }],
  };
  const requests: [path: string, init?: RequestInit][] = [
    ['/docs'],
    ['/openapi.json'],
    ['/metrics'],
    ['/'],
    ['/nowhere'],
    ['/v1/keys', { method: 'PROPFIND' }],
    [
      '/v1/keys',
      { method: 'OPTIONS', headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' } },
    ],
    ['/v1/keys', { headers: { authorization: 'Bearer junk' } }],
    ['/%'],
  ];

  it('all of them share what strangers may use, and the probes of load balancers do not', async () => {
    const fair = new Fair();
    const entered: string[] = [];
    const enter = fair.enter.bind(fair);
    fair.enter = (tenantId, ...all) => {
      entered.push(tenantId);
      return enter(tenantId, ...all);
    };
    const { fetch } = await listen(memoryService({ fair }), { console });
    const statuses: number[] = [];
    for (const [path, init] of requests) statuses.push((await fetch(path, init)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 404, 405, 204, 401, 404]);
    expect(entered).toEqual(requests.map(() => 'no tenant'));
    await Promise.all(['/healthz', '/readyz'].map((path) => fetch(path)));
    expect(entered.slice(requests.length)).toEqual(['probes', 'probes']);
    await expect.poll(() => fair.counts.held).toBe(0);
  });

  it('/metrics is read once for all requests that wait', async () => {
    let reads = 0;
    let release = (): void => {};
    const first = new Promise<void>((resolve) => {
      release = resolve;
    });
    const metrics = async () => {
      reads++;
      await first;
      return 'eaas_example 1\n';
    };
    const { app, fetch } = await listen(memoryService({ metrics }));
    let arrived = 0;
    app.server.on('request', () => arrived++);
    const answers = Array.from({ length: 20 }, () => fetch('/metrics'));
    await expect.poll(() => arrived).toBe(20);
    release();
    for (const answer of answers) expect(await (await answer).text()).toBe('eaas_example 1\n');
    expect(reads).toBe(2);
  });
});

describe('/docs and /openapi.json', () => {
  it.each(['/docs', '/openapi.json'])('%s is not sent again to a client that has it', async (path) => {
    const { fetch } = await listen();
    const first = await fetch(path);
    const [etag = '', length] = ['etag', 'content-length'].map((name) => first.headers.get(name) ?? '');
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    expect(Number(length)).toBe((await first.arrayBuffer()).byteLength);
    expect(first.headers.get('cache-control')).toBe('no-cache');
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await fetch(path, { headers: { 'if-none-match': known } });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect(again.headers.get('etag')).toBe(etag);
      expect(again.headers.get('cache-control')).toBe('no-cache');
    }
    expect((await fetch(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    const head = await fetch(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), head.headers.get('content-length')]).toEqual([
      200,
      etag,
      length,
    ]);
  });

  it('/openapi.json describes the API', async () => {
    const { fetch } = await listen();
    const response = await fetch('/openapi.json');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  it('the policy of /docs allows only the style of the page', async () => {
    const { fetch } = await listen();
    const response = await fetch('/docs');
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(await response.text()) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; frame-ancestors 'none'`;
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe(policy);
  });

  it('if the package of the pages is missing, /docs leads to /openapi.json', async () => {
    const { fetch } = await listen(undefined, { apiPage: undefined });
    const moved = await fetch('/docs', { redirect: 'manual' });
    expect([moved.status, moved.headers.get('location')]).toEqual([302, '/openapi.json']);
  });
});

describe('/log', () => {
  const readLog = async (path: string) => {
    if (path === 'checkpoint') {
      return { bytes: 'eaas.example/log\n', type: 'text/plain; charset=utf-8', maxAge: 5 };
    }
    if (path !== 'tile/0/x001/234.p/5') return undefined;
    return { bytes: Buffer.alloc(160), type: 'application/octet-stream', maxAge: 31_536_000 };
  };

  it('pages of any origin read the public log without an API key, and caches keep what never changes', async () => {
    const { fetch } = await listen(undefined, { pages: { '/log/*': readLog } });
    const anonymous = { headers: { authorization: '', origin: 'https://other.example' } };
    const checkpoint = await fetch('/log/checkpoint', anonymous);
    expect([checkpoint.status, await checkpoint.text()]).toEqual([200, 'eaas.example/log\n']);
    expect(checkpoint.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(checkpoint.headers.get('cache-control')).toBe('public, max-age=5');
    expect(checkpoint.headers.get('access-control-allow-origin')).toBe('*');
    const tile = await fetch('/log/tile/0/x001/234.p/5', anonymous);
    expect([tile.status, (await tile.arrayBuffer()).byteLength]).toEqual([200, 160]);
    expect(tile.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const absent = await fetch('/log/tile/0/x001/235', anonymous);
    expect([absent.status, absent.headers.get('access-control-allow-origin')]).toEqual([404, '*']);
    expect(absent.headers.get('cache-control')).toBe('no-store');
  });

  it('while the public log is off, its paths are 404', async () => {
    const { fetch } = await listen();
    expect(await (await fetch('/log/checkpoint')).json()).toMatchObject({ status: 404, code: 'not_found' });
  });
});
