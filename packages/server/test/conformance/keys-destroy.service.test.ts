import { expect, test } from 'vitest';
import { bring, keyIn, newestEntry, newTenant, ok, wrapped } from '@eaas/test-kit/fixture';
import { aTimestamp, auditEntry, keyRecord } from './shapes.ts';

const tenant = await newTenant();

const days = 86_400_000;

test.for([
  ['', 30],
  ['?grace_days=1', 1],
  ['?grace_days=365', 365],
] as const)('DELETE%s leaves %i days to restore the key', async ([query, grace]) => {
  const { key_id, name } = await keyIn(tenant, 'disabled');
  const destroyed = await tenant.api.delete(`/v1/keys/${key_id}${query}`);
  expect(destroyed).toHaveStatus(202);
  const pending = keyRecord({ key_id, name, status: 'pending_destruction', destroy_at: aTimestamp });
  expect(destroyed.body).toStrictEqual(pending);
  const entry = await newestEntry(tenant);
  expect(entry).toStrictEqual(auditEntry({ action: 'key.destroy', key_id, actor: tenant.apiKeyId }));
  expect(entry.metadata).toMatchObject({ destroy_at: destroyed.body.destroy_at });
  const left = Date.parse(destroyed.body.destroy_at ?? '') - Date.parse(entry.created_at);
  expect(Math.abs(left - grace * days)).toBeLessThan(60_000);

  const restored = await tenant.api.post(`/v1/keys/${key_id}/restore`);
  expect(restored).toHaveStatus(200);
  expect(restored.body).toStrictEqual(keyRecord({ key_id, name, status: 'disabled' }));
  expect(await newestEntry(tenant)).toStrictEqual(auditEntry({ action: 'key.restore', key_id }));
});

test('a key that was restored can unwrap again', async () => {
  const { key_id } = await tenant.newKey();
  const wrapped_key = await wrapped(tenant.api, key_id);
  await bring(tenant.api, key_id, 'pending_destruction');
  ok(await tenant.api.post(`/v1/keys/${key_id}/restore`));
  expect(await tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key })).toHaveStatus(200);
});

test('DELETE with grace_days=0 erases the key immediately and writes one audit entry', async () => {
  const { key_id } = await keyIn(tenant, 'disabled');
  const before = await tenant.auditTotal();
  const destroyed = await tenant.api.delete(`/v1/keys/${key_id}?grace_days=0`);
  expect(destroyed).toHaveStatus(202);
  expect(destroyed.body).toMatchObject({ key_id, status: 'destroyed' });
  expect(await tenant.auditTotal()).toBe(before + 1);
  expect(await newestEntry(tenant)).toMatchObject({ action: 'key.destroy', actor: tenant.apiKeyId });
  expect(ok(await tenant.api.get(`/v1/keys/${key_id}`)).status).toBe('destroyed');
});

test('the audit log records disabling and enabling a key', async () => {
  const { key_id, name } = await tenant.newKey();
  const disabled = await tenant.api.post(`/v1/keys/${key_id}/disable`);
  expect(disabled).toHaveStatus(200);
  expect(disabled.body).toStrictEqual(keyRecord({ key_id, name, status: 'disabled' }));
  expect(await newestEntry(tenant)).toStrictEqual(auditEntry({ action: 'key.disable', key_id }));
  const enabled = await tenant.api.post(`/v1/keys/${key_id}/enable`);
  expect(enabled).toHaveStatus(200);
  expect(enabled.body).toStrictEqual(keyRecord({ key_id, name }));
  expect(await newestEntry(tenant)).toStrictEqual(auditEntry({ action: 'key.enable', key_id }));
});

test('ten concurrent calls disable or enable a key only once', async () => {
  const { key_id } = await tenant.newKey();
  const before = await tenant.auditTotal();
  for (const verb of ['disable', 'enable'] as const) {
    const ten = Array.from({ length: 10 }, () => tenant.api.post(`/v1/keys/${key_id}/${verb}`));
    const statuses = (await Promise.all(ten)).map((answer) => answer.status);
    expect(statuses.toSorted((a, b) => a - b)).toStrictEqual([200, ...Array.from({ length: 9 }, () => 409)]);
  }
  expect(await tenant.auditTotal()).toBe(before + 2);
});
