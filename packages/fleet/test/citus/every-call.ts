import { randomUUID } from 'node:crypto';
import type { Input, Route } from '@eaas/protocol/wire';
import { jwkOfBits } from '@eaas/test-kit/rsa';
import { type Api, dek } from '@eaas/test-kit/world';

const { kty = '', n = '', e = '' } = jwkOfBits(3_072);
const day = '2026-09-01T00:00:00.000Z';

export async function everyCall(api: Api): Promise<Set<Route>> {
  const called = new Set<Route>();
  const call: Api = (route, input) => {
    called.add(route);
    return api(route, input);
  };
  const { key_id } = await call('POST /v1/keys', {
    name: `busy ${randomUUID()}`,
    exportable: true,
    intake: true,
  });
  await crypto(call, key_id);
  await batches(call, key_id);
  await keys(call, key_id);
  await apiKeys(call);
  await lists(call, key_id);
  return called;
}

async function crypto(call: Api, key_id: string): Promise<void> {
  await call('POST /v1/decrypt', await call('POST /v1/encrypt', { key_id, plaintext: 'text' }));
  await call('POST /v1/hash', { key_id, value: 'text' });
  const { wrapped_key } = await call('POST /v1/keys/:key_id/wrap', { key_id, dek });
  await call('POST /v1/keys/:key_id/unwrap', { key_id, wrapped_key });
  await call('POST /v1/keys/:key_id/rotate', { key_id });
  await call('POST /v1/keys/:key_id/rewrap', { key_id, wrapped_key });
}

async function batches(call: Api, key_id: string): Promise<void> {
  const { wrapped_key } = await call('POST /v1/keys/:key_id/wrap', { key_id, dek });
  await call('POST /v1/batch/wrap', { items: [{ key_id, dek }] });
  await call('POST /v1/batch/unwrap', { items: [{ key_id, wrapped_key }] });
  await call('POST /v1/batch/rewrap', { items: [{ key_id, wrapped_key }] });
  await call('POST /v1/batch/hash', { items: [{ key_id, value: 'text' }] });
}

async function keys(call: Api, busy: string): Promise<void> {
  await call('GET /v1/keys/:key_id/public-key', { key_id: busy });
  await call('PUT /v1/keys/:key_id/rotation-policy', { key_id: busy, interval_days: 90 });
  await call('POST /v1/keys/:key_id/export', { key_id: busy, public_key: { kty, n, e } });
  const { key_id } = await call('POST /v1/keys', { name: `brief ${randomUUID()}` });
  await call('POST /v1/keys/:key_id/disable', { key_id });
  await call('POST /v1/keys/:key_id/enable', { key_id });
  await call('POST /v1/keys/:key_id/disable', { key_id });
  await call('DELETE /v1/keys/:key_id', { key_id, grace_days: 7 });
  await call('POST /v1/keys/:key_id/restore', { key_id });
  await call('DELETE /v1/keys/:key_id', { key_id, grace_days: 0 });
}

async function apiKeys(call: Api): Promise<void> {
  const issued = await call('POST /v1/api-keys', { name: 'another', permissions: ['api_keys.manage'] });
  const { api_key_id } = issued;
  await call('GET /v1/api-keys', { limit: 1, offset: 1 });
  await call('GET /v1/api-keys/:api_key_id', { api_key_id });
  await call('PATCH /v1/api-keys/:api_key_id', { api_key_id, permissions: ['encrypt'] });
  await call('DELETE /v1/api-keys/:api_key_id', { api_key_id });
}

async function lists(call: Api, key_id: string): Promise<void> {
  const filters: Input<'GET /v1/audit'>[] = [
    {},
    { offset: 5 },
    { key_id },
    { action: 'key.wrap' },
    { key_id, action: 'key.wrap', offset: 1 },
    { date_from: day, date_to: day },
    { key_id, date_from: day },
    { action: 'key.wrap', date_to: day, offset: 1 },
  ];
  for (const filter of filters) await call('GET /v1/audit', filter);
  await call('GET /v1/keys', {});
  await call('GET /v1/keys', { status: 'active', limit: 1, offset: 1 });
  await call('GET /v1/keys', { name: 'busy', status: 'active' });
  await call('GET /v1/keys/:key_id', { key_id, offset: 1 });
  const { checkpoint } = await call('GET /v1/audit/checkpoint', {});
  await call('GET /v1/audit/verify', { checkpoint });
  await call('GET /v1/usage', {});
}
