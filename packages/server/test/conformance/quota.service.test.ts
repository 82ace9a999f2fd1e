import { expect, test } from 'vitest';
import { newDek, newTenant, ok, type Tenant, unknownId } from '@eaas/test-kit/fixture';

async function tenantWithQuota(quota: number): Promise<{ tenant: Tenant; key_id: string }> {
  const tenant = await newTenant('--monthly-encrypt-quota', String(quota));
  return { tenant, key_id: (await tenant.newKey()).key_id };
}

test('the quota counts only successful encrypt calls', async () => {
  const { tenant, key_id } = await tenantWithQuota(3);
  const encrypt = (body: object) => tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id, ...body });
  for (let round = 0; round < 3; round++) {
    expect(await encrypt({ key_id: unknownId() })).toBeProblem('not_found');
    expect(await encrypt({ plaintext: 5 })).toBeProblem('bad_request');
    expect(await encrypt({})).toHaveStatus(200);
  }
  const before = await tenant.auditTotal();
  expect(await encrypt({})).toBeProblem('quota_exceeded');
  expect(await encrypt({})).toBeProblem('quota_exceeded');
  expect(await tenant.auditTotal()).toBe(before);
  expect(ok(await tenant.api.get('/v1/usage'))).toMatchObject({
    encrypt_quota: 3,
    operations: { encrypt: 3 },
  });
});

test('the quota limits encrypt, but not decrypt, wrap, unwrap and hash', async () => {
  const { tenant, key_id } = await tenantWithQuota(1);
  const bundle = ok(await tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id }));
  expect(await tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id })).toBeProblem('quota_exceeded');
  for (let round = 0; round < 5; round++) {
    expect(await tenant.api.post('/v1/decrypt', bundle)).toHaveStatus(200);
    const wrapping = await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek: newDek() });
    const { wrapped_key } = ok(wrapping);
    expect(await tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key })).toHaveStatus(200);
    expect(await tenant.api.post('/v1/hash', { key_id, value: 'x' })).toHaveStatus(200);
  }
});

test('the operator changes the quota with immediate effect', async () => {
  const { tenant, key_id } = await tenantWithQuota(0);
  const encrypt = () => tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id });
  expect(await encrypt()).toBeProblem('quota_exceeded');
  expect(await tenant.set('--monthly-encrypt-quota', '1')).toMatchObject({ monthly_encrypt_quota: 1 });
  expect(await encrypt()).toHaveStatus(200);
  expect(await encrypt()).toBeProblem('quota_exceeded');
  expect(await tenant.set('--monthly-encrypt-quota', 'null')).toMatchObject({
    monthly_encrypt_quota: null,
  });
  expect(await encrypt()).toHaveStatus(200);
  expect(ok(await tenant.api.get('/v1/usage')).encrypt_quota).toBeNull();
});
