import { expect, test } from 'vitest';
import { authorize } from './authorize.ts';
import { orRefusal } from './batch.ts';

test('an API key is refused from the millisecond of its expiry', () => {
  const limits = { key_ids: null, allowed_origins: null, revoked_at: null };
  const apiKey = { permissions: ['encrypt'] as const, ...limits, expires_at: 1_000 };
  const asked = { endpoint: { permission: 'encrypt' as const }, origin: undefined };
  const at = (time: number) => orRefusal(() => authorize(apiKey, asked, { envelopeOnly: false, time }));
  expect(at(999)).toBeUndefined();
  const detail = expect.stringContaining('expired at 1970-01-01T00:00:01.000Z') as string;
  expect(at(1_000)).toMatchObject({ code: 'unauthorized', problem: { detail } });
});
