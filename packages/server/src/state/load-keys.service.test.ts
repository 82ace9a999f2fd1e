import { expect, test } from 'vitest';
import { testWorld } from '@eaas/test-kit/world';
import { insider } from './caller.ts';
import { createKey } from '../operations/keys.ts';
import { createTenant } from '../operations/tenants.ts';
import { loadKeys } from './load-keys.ts';

const world = await testWorld('2026-11-20T12:00:00Z');

test('loading several keys returns each key, even if the cache evicts one', async () => {
  const service = world.replica();
  const { tenants } = service;
  const { tenant_id } = await createTenant(service, { name: 'acme' });
  const operator = insider(tenant_id, 'operator');
  const known = await createKey(service, operator, { name: 'known' });
  const other = await createKey(service, operator, { name: 'other' });
  const view = await tenants.view(tenant_id);
  if (!view) throw new Error('expected a tenant');
  const { state } = view;
  await loadKeys(tenants, state, [{ keyId: known.key_id }]);

  const loading = loadKeys(tenants, state, [
    { keyId: known.key_id },
    { keyId: other.key_id },
    { keyId: tenant_id },
  ]);
  tenants.remembered.drop(state, [known.key_id]);
  const keys = await loading;
  expect([...keys.keys()].toSorted()).toEqual([known.key_id, other.key_id].toSorted());
  expect(Array.from(keys.values(), ({ versions }) => versions.has(1))).toEqual([true, true]);
});
