import { memoryStore } from '@eaas/local/internal';
import type { Permission } from '@eaas/protocol/wire';
import { called } from '@eaas/test-kit/called';
import { randomBytes } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { rootKey } from './crypto/tenant-secrets.ts';
import { run } from './operate.ts';
import { insider } from './operation.ts';
import { newTenant } from './operations/tenants.ts';
import { createService } from './service.ts';

afterEach(() => void vi.useRealTimers());

/** A service with a call that wraps. */
async function open() {
  const [store, roots] = [memoryStore({ now: Date.now }), [rootKey(randomBytes(32))] as const];
  const { head, writes, record } = newTenant(roots, { name: 'ann', envelope_only: false }, Date.now());
  await store.create(head, writes);
  const pause = vi.fn(async () => {});
  const service = createService({ store, roots, fair: { isOver: () => false, pause } });
  const operator = insider(record.tenant_id, 'operator');
  const { key_id } = (await run(service, operator, 'POST /v1/keys', { name: 'key' })).answer;
  const permissions: Permission[] = ['encrypt'];
  const { api_key } = (await run(service, operator, 'POST /v1/api-keys', { name: 'key', permissions }))
    .answer;
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
