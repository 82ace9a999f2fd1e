import { expect, test, vi } from 'vitest';
import { newDek, newTenant, ok, type Tenant, unknownId } from '@eaas/test-kit/fixture';

const tenant = await newTenant();

const zeros = { encrypt: 0, decrypt: 0, 'key.wrap': 0, 'key.unwrap': 0 };
const thisMonth = () => new Date().toISOString().slice(0, 7);

test('usage counts each operation and each item of a batch, but no refused operations', async () => {
  const { key_id } = await tenant.newKey();
  const bundle = ok(await tenant.api.post('/v1/encrypt', { key_id, plaintext: 'x' }));
  ok(await tenant.api.post('/v1/encrypt', { key_id, plaintext: 'x' }));
  for (let round = 0; round < 3; round++) ok(await tenant.api.post('/v1/decrypt', bundle));
  const { wrapped_key } = ok(await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek: newDek() }));
  const wraps = Array.from({ length: 4 }, () => ({ key_id, dek: newDek() }));
  ok(await tenant.api.post('/v1/batch/wrap', { items: [...wraps, { key_id }] }));
  const unwraps = Array.from({ length: 6 }, () => ({ key_id, wrapped_key }));
  ok(await tenant.api.post('/v1/batch/unwrap', { items: [...unwraps, { key_id, wrapped_key: 'AAAA' }] }));
  ok(await tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key }));
  await tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key: 'AAAA' });
  await tenant.api.post('/v1/decrypt', { key_id, key_version: 1, ciphertext: 'AAAA' });
  const expected = {
    month: thisMonth(),
    operations: { encrypt: 2, decrypt: 3, 'key.wrap': 5, 'key.unwrap': 7 },
    encrypt_quota: null,
    subjects: 0,
  };
  await vi.waitFor(async () => expect(ok(await tenant.api.get('/v1/usage'))).toStrictEqual(expected), {
    timeout: 250_000,
    interval: 500,
  });
  expect(ok(await tenant.api.get(`/v1/usage?month=${thisMonth()}`))).toStrictEqual(expected);
});

test('a month without use returns zeros, even if the month is in the future', async () => {
  for (const month of ['2020-02', '0001-01', '9999-12']) {
    const usage = ok(await tenant.api.get(`/v1/usage?month=${month}`));
    expect(usage).toMatchObject({ month, operations: zeros });
  }
  const fresh = await newTenant();
  expect(ok(await fresh.api.get('/v1/usage'))).toStrictEqual({
    month: thisMonth(),
    operations: zeros,
    encrypt_quota: null,
    subjects: 0,
  });
});

test('usage counts each subject once, until it is erased', async () => {
  const own = await newTenant();
  const { key_id } = await own.newKey();
  const subjects = async () => ok(await own.api.get('/v1/usage?month=2020-01')).subjects;
  const names = Array.from({ length: 30 }, (_, nth) => `person ${nth}`);
  const items = [...names, ...names].map((subject) => ({ key_id, dek: newDek(), subject }));
  await Promise.all([1, 2, 3].map(async () => ok(await own.api.post('/v1/batch/wrap', { items }))));
  expect(await subjects()).toBe(30);
  const erase = (body: object) => own.api.post('/v1/subjects/erase', body);
  for (const _ of [1, 2]) ok(await erase({ subject: 'person 0' }));
  expect(await subjects()).toBe(29);
  ok(await erase({ subject: 'nobody', create: true }));
  ok(await erase({ subject: 'nobody', create: true }));
  expect(await erase({ subject: 'another' })).toBeProblem('not_found');
  expect(await subjects()).toBe(29);
});

test.for(['2026-00', '2026-1', '2026-11-01', '2026-11 ', '-2026-11'])('month=%j is 400', async (month) => {
  const answer = await tenant.api.get(`/v1/usage?month=${encodeURIComponent(month)}`);
  expect(answer).toBeProblem('bad_request', /month/);
});

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
  const usage = { encrypt_quota: 3, operations: { encrypt: 3 } };
  expect(ok(await tenant.api.get('/v1/usage'))).toMatchObject(usage);
});

test('the quota limits encrypt, but not decrypt, wrap, unwrap and hash', async () => {
  const { tenant, key_id } = await tenantWithQuota(1);
  const bundle = ok(await tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id }));
  expect(await tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id })).toBeProblem('quota_exceeded');
  ok(await tenant.api.post('/v1/decrypt', bundle));
  const { wrapped_key } = ok(await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek: newDek() }));
  ok(await tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key }));
  ok(await tenant.api.post('/v1/hash', { key_id, value: 'x' }));
});

test('the operator changes the quota with immediate effect', async () => {
  const { tenant, key_id } = await tenantWithQuota(0);
  const encrypt = () => tenant.api.post('/v1/encrypt', { plaintext: 'x', key_id });
  expect(await encrypt()).toBeProblem('quota_exceeded');
  expect(await tenant.set('--monthly-encrypt-quota', '1')).toMatchObject({ monthly_encrypt_quota: 1 });
  expect(await encrypt()).toHaveStatus(200);
  expect(await encrypt()).toBeProblem('quota_exceeded');
  const unlimited = { monthly_encrypt_quota: null };
  expect(await tenant.set('--monthly-encrypt-quota', 'null')).toMatchObject(unlimited);
  expect(await encrypt()).toHaveStatus(200);
  expect(ok(await tenant.api.get('/v1/usage')).encrypt_quota).toBeNull();
});
