import { describe, expect, it } from 'vitest';
import { listen } from './testing/listen.ts';
import { memoryDoors } from './testing/memory-doors.ts';

describe('/healthz and /readyz', () => {
  it('/healthz reports that the process runs, and /readyz that the service can work', async () => {
    const { fetch } = await listen();
    const anonymous = { headers: { authorization: '' } };
    expect(await (await fetch('/healthz', anonymous)).json()).toEqual({ status: 'ok' });
    const ready = await fetch('/readyz', anonymous);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  });

  it('/readyz reports why the service cannot work', async () => {
    const health = async () => ({ ready: false, reasons: ['the database does not respond'] });
    const { fetch } = await listen(memoryDoors({ health }));
    const response = await fetch('/readyz');
    expect([response.status, await response.json()]).toEqual([
      503,
      { status: 'not ready', reasons: ['the database does not respond'] },
    ]);
    expect((await fetch('/healthz')).status).toBe(200);
  });

  it('if the health check throws an error, /readyz responds with 503 and does not show the error', async () => {
    const health = () => Promise.reject(new Error('secret connection string'));
    const failing = await listen(memoryDoors({ health }));
    const response = await failing.fetch('/readyz');
    expect([response.status, await response.json()]).toEqual([
      503,
      { status: 'not ready', reasons: ['the check failed'] },
    ]);
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
    expect(text).toContain('_bucket{method="GET",route="/v1/keys/:key_id",le="+Inf"} 2\n');
    expect(text).toContain('_count{method="GET",route="/v1/keys/:key_id"} 2\n');
    expect(text).not.toContain('secret');
    expect(text).toMatch(/\neaas_example 1\n$/);
    for (const line of text.trim().split('\n')) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [\d.e+-]+)$/);
    }
  });
});
