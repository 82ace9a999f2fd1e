import type { MemoryTenant } from '@eaas/local/internal';
import { called } from '@eaas/test-kit/called';
import { randomBytes } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { openTenant } from '../test/open-tenant.ts';

afterEach(() => void vi.useRealTimers());

/** A service with a call that wraps. */
async function open() {
  const pause = vi.fn(async () => {});
  const { service, call } = await openTenant({ fair: { isOver: () => false, pause }, patience: 4_500 });
  const { key_id } = await call('POST /v1/keys', { name: 'key' });
  const { api_key } = await call('POST /v1/api-keys', { name: 'key', permissions: ['encrypt'] });
  const arrival = { route: 'POST /v1/keys/:key_id/wrap', authorization: `Bearer ${api_key}` } as const;
  const input = () => ({ key_id, dek: randomBytes(32).toString('base64') });
  return { service, arrival, input, pause };
}

test('how long a body takes is not taken from the time of its call', async () => {
  const { service, arrival, input } = await open();
  vi.useFakeTimers({ toFake: ['performance'] });
  const settled = await called(service, arrival, input, {
    read(then) {
      vi.advanceTimersByTime(60_000);
      then(input);
    },
  });
  expect(settled.answer).toMatchObject({ key_version: 1 });
});

test.each([
  [32_767, 0],
  [32_768, 2],
])('a body of %i bytes lets others go first %i times', async (bodyBytes, turns) => {
  const { service, arrival, input, pause } = await open();
  await called(service, arrival, input, { bodyBytes });
  expect(pause).toHaveBeenCalledTimes(turns);
});

test.each(['remembered', 'forgotten'])(
  'a forged head refuses each call but the one that tells of it (what is believed of the tenant is %s)',
  async (belief) => {
    const { service, store, tenantId, call } = await openTenant();
    const { api_key } = await call('POST /v1/api-keys', { name: 'auditor', permissions: ['audit.read'] });
    const tenant = store.tenants.get(tenantId) as MemoryTenant;
    const ask = (route: 'GET /v1/audit/verify' | 'GET /v1/audit/checkpoint') =>
      called(service, { route, authorization: `Bearer ${api_key}` }, () => ({}));
    expect((await ask('GET /v1/audit/verify')).answer).toMatchObject({ valid: true });
    tenant.head = { ...tenant.head, encrypts: 9 };
    if (belief === 'forgotten') service.ledger.forget(tenantId);
    const errors = expect.arrayContaining([{ id: null, reason: 'head_changed' }]) as unknown;
    expect((await ask('GET /v1/audit/verify')).answer).toMatchObject({ valid: false, errors });
    await expect(ask('GET /v1/audit/checkpoint')).rejects.toMatchObject({ code: 'unavailable' });
  },
);
