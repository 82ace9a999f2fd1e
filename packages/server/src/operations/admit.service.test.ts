import { permissions } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { apiOf, dek, testWorld } from '@eaas/test-kit/world';
import { insider } from '../state/caller.ts';
import type { Service } from '../app/service.ts';
import { admit, confirmAdmission } from './admit.ts';
import { createApiKey } from './api-keys.ts';
import { operations } from './table.ts';
import { createTenant } from './tenants.ts';

const world = await testWorld('2026-11-20T12:00:00Z');

const admitted = (service: Service, token: string) =>
  admit(service, {
    route: 'POST /v1/batch/unwrap',
    authorization: `Bearer ${token}`,
    origin: undefined,
    ipAddress: null,
    arrivedAt: performance.now(),
  });

test('an operation refuses a revoked API key that is still in the cache', async () => {
  const [here, there] = [world.replica(), world.replica()];
  const { tenant_id } = await createTenant(there, { name: 'acme' });
  const operator = insider(tenant_id, 'operator');
  const { api_key, api_key_id } = await createApiKey(there, operator, {
    name: 'ci',
    permissions: [...permissions],
  });
  await confirmAdmission(here, await admitted(here, api_key));
  await operations['DELETE /v1/api-keys/:api_key_id'](there, operator, { api_key_id });

  const caller = await admitted(here, api_key);
  const unwrap = operations['POST /v1/batch/unwrap'];
  await expect(unwrap(here, caller, { items: [] })).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(admitted(here, api_key)).rejects.toMatchObject({ code: 'unauthorized' });
});

test('an API key is checked against data that was read after the arrival of the request', async () => {
  const [here, there] = [world.replica(), world.replica()];
  const { tenant_id } = await createTenant(there, { name: 'bravo' });
  const operator = insider(tenant_id, 'operator');
  const { api_key, api_key_id } = await createApiKey(there, operator, {
    name: 'ci',
    permissions: ['decrypt'],
  });
  await confirmAdmission(here, await admitted(here, api_key));
  await operations['DELETE /v1/api-keys/:api_key_id'](there, operator, { api_key_id });

  const caller = await admitted(here, api_key);
  await expect(confirmAdmission(here, caller)).rejects.toMatchObject({ code: 'unauthorized' });
});

test('an API key works until it expires, and its log has no later entry', async () => {
  const service = world.replica();
  const { tenant_id } = await createTenant(service, { name: 'charlie' });
  const expires = world.time + 60_000;
  const { api_key } = await createApiKey(service, insider(tenant_id, 'operator'), {
    name: 'ci',
    permissions: [...permissions],
    expires_at: new Date(expires).toISOString(),
  });
  const api = apiOf(service, api_key);
  const { key_id } = await api('POST /v1/keys', { name: 'key' });
  const wrap = () => api('POST /v1/keys/:key_id/wrap', { key_id, dek });
  world.time = expires - 1;
  await wrap();
  world.time = expires;
  await expect(wrap()).rejects.toMatchObject({ code: 'unauthorized' });
  const rows = await service.database.run(
    (sql) => sql`select action, created_at from eaas.audit_entries where tenant_id = ${tenant_id}`,
  );
  expect(rows.filter(({ action }) => action === 'key.wrap')).toHaveLength(1);
  expect(rows.filter(({ created_at }) => Number(created_at) >= expires)).toEqual([]);
});
