import { describe, expect, test, vi } from 'vitest';
import { newTenant, ok, wrapped } from '@eaas/test-kit/fixture';
import { aTimestamp } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');

// The tests run concurrently to save time. Each test waits until the server records when a key was last used, which
// happens several times per minute.
describe.concurrent('the use of keys', () => {
  test('GET /v1/keys/:key_id shows the use of each version, at most a minute late', async () => {
    const { key_id } = await tenant.newKey();
    const unwrap = async (wrapped_key: string) =>
      ok(await tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key }));
    const first = await wrapped(tenant.api, key_id);
    await wrapped(tenant.api, key_id);
    await unwrap(first);
    ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
    const second = await wrapped(tenant.api, key_id);
    const since = Date.now();
    await unwrap(first);
    await unwrap(second);
    await vi.waitFor(
      async () => {
        const [two, one] = ok(await tenant.api.get(`/v1/keys/${key_id}`)).versions;
        expect(one).toMatchObject({ wraps: 2, unwraps: 2, last_unwrap_at: aTimestamp });
        expect(two).toMatchObject({ wraps: 1, unwraps: 1, last_unwrap_at: aTimestamp });
        expect(Date.parse(one?.last_unwrap_at ?? '')).toBeGreaterThan(since - 60_000);
      },
      { timeout: 250_000, interval: 1_000 },
    );
  });

  test('GET /v1/api-keys/:id shows the last use, accurate to a minute', async () => {
    const { record, api } = await tenant.issue();
    expect(record.last_used_at).toBeNull();
    const since = Date.now();
    ok(await api.get('/v1/keys'));
    await vi.waitFor(
      async () => {
        const { last_used_at } = ok(await tenant.api.get(`/v1/api-keys/${record.api_key_id}`));
        expect(last_used_at).toMatch(/:00\.000Z$/);
        expect(Date.parse(last_used_at ?? '')).toBeGreaterThan(since - 60_000);
      },
      { timeout: 250_000, interval: 1_000 },
    );
  });
});
