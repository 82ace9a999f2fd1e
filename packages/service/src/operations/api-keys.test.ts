import { limits } from '@eaas/protocol/wire';
import { afterEach, expect, test, vi } from 'vitest';
import { openTenant } from '../../test/open-tenant.ts';

afterEach(() => void vi.useRealTimers());

test('of API keys that are neither revoked nor expired a tenant has at most 1,000, however they come', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  const { call } = await openTenant();
  const soon = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
  const create = async (expires_at: string | null = null) => {
    const input = { name: 'x', permissions: ['encrypt' as const], expires_at };
    return (await call('POST /v1/api-keys', input)).api_key_id;
  };
  const extend = (api_key_id: string) =>
    call('PATCH /v1/api-keys/:api_key_id', { api_key_id, expires_at: null });
  const expiring = await create(soon(30_000));
  const burst = Array.from({ length: limits.apiKeys }, () => create());
  const outcomes = await Promise.allSettled(burst);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  const conflict = { code: 'conflict' };
  await expect(create()).rejects.toMatchObject(conflict);
  vi.advanceTimersByTime(120_000);
  await create();
  await expect(create()).rejects.toMatchObject(conflict);
  await expect(extend(expiring)).rejects.toMatchObject(conflict);
  const [first = ''] = await Promise.all(burst.slice(0, 1));
  await call('DELETE /v1/api-keys/:api_key_id', { api_key_id: first });
  await extend(expiring);
  await expect(create(soon(60_000))).rejects.toMatchObject(conflict);
});
