import { describe, expect, test, vi } from 'vitest';
import { expectNothingRecorded, newDek, newTenant, ok, unknownId, wrapped } from '@eaas/test-kit/fixture';

const tenant = await newTenant();

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

test('a key shows its last unwrap, and totals count refused calls too, from one entry to the next', async () => {
  const { key_id } = await tenant.newKey();
  const wrapped_key = await wrapped(tenant.api, key_id);
  const unwrap = (of: string) => tenant.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key: of });
  const filter = `key_id=${key_id}&action=key.unwrap`;
  for (let round = 1; round <= 3; round++) {
    ok(await unwrap(wrapped_key));
    expect(await unwrap('AAAA')).toBeProblem('wrapped_key_unauthentic');
    const [version] = ok(await tenant.api.get(`/v1/keys/${key_id}`)).versions;
    const [newest] = await tenant.entries(`${filter}&limit=1&offset=1`);
    expect(version).toMatchObject({ wraps: 1, unwraps: round, last_unwrap_at: newest?.created_at });
    expect(ok(await tenant.api.get(`/v1/audit?${filter}&limit=1`)).total).toBe(2 * round);
  }
});

test('other months have zeros, and every month the number of subjects that are not erased', async () => {
  const own = await newTenant();
  const { key_id } = await own.newKey();
  const items = ['ann', 'ben', 'ann'].map((subject) => ({ key_id, dek: newDek(), subject }));
  ok(await own.api.post('/v1/batch/wrap', { items }));
  ok(await own.api.post('/v1/subjects/erase', { subject: 'ben' }));
  ok(await own.api.post('/v1/subjects/erase', { subject: 'nobody', create: true }));
  const operations = { encrypt: 0, decrypt: 0, 'key.wrap': 0, 'key.unwrap': 0 };
  for (const month of ['2020-02', '0001-01', '9999-12']) {
    const usage = ok(await own.api.get(`/v1/usage?month=${month}`));
    expect(usage).toStrictEqual({ month, operations, encrypt_quota: null, subjects: 1 });
  }
});

test.for(['2026-00', '2026-11-01'])('month=%j is 400', async (month) => {
  const answer = await tenant.api.get(`/v1/usage?month=${encodeURIComponent(month)}`);
  expect(answer).toBeProblem('bad_request', /month/);
});

describe('the quota', () => {
  const tenantWithQuota = async (quota: number) => {
    const own = await newTenant('--monthly-encrypt-quota', String(quota));
    const { key_id } = await own.newKey();
    const encrypt = (body: object = {}) => own.api.post('/v1/encrypt', { plaintext: 'x', key_id, ...body });
    return { own, key_id, encrypt };
  };

  test('counts only successful encrypt calls', async () => {
    const { own, encrypt } = await tenantWithQuota(3);
    for (let round = 0; round < 3; round++) {
      expect(await encrypt({ key_id: unknownId() })).toBeProblem('not_found');
      expect(await encrypt({ plaintext: 5 })).toBeProblem('bad_request');
      expect(await encrypt()).toHaveStatus(200);
    }
    await expectNothingRecorded(own, async () => {
      for (let round = 0; round < 2; round++) expect(await encrypt()).toBeProblem('quota_exceeded');
    });
    const usage = { encrypt_quota: 3, operations: { encrypt: 3 } };
    expect(ok(await own.api.get('/v1/usage'))).toMatchObject(usage);
  });

  test('limits only encrypt, and is changed by the operator with immediate effect', async () => {
    const { own, key_id, encrypt } = await tenantWithQuota(0);
    expect(await encrypt()).toBeProblem('quota_exceeded');
    expect(await own.set('--monthly-encrypt-quota', '1')).toMatchObject({ monthly_encrypt_quota: 1 });
    const bundle = ok(await encrypt());
    expect(await encrypt()).toBeProblem('quota_exceeded');
    ok(await own.api.post('/v1/decrypt', bundle));
    const wrapped_key = await wrapped(own.api, key_id);
    ok(await own.api.post(`/v1/keys/${key_id}/unwrap`, { wrapped_key }));
    ok(await own.api.post('/v1/hash', { key_id, value: 'x' }));
    expect(await own.set('--monthly-encrypt-quota', 'null')).toMatchObject({ monthly_encrypt_quota: null });
    expect(await encrypt()).toHaveStatus(200);
    expect(ok(await own.api.get('/v1/usage')).encrypt_quota).toBeNull();
  });
});

// The server records several times per minute when API keys were last used.
test('GET /v1/api-keys/:id shows the last use, accurate to a minute', async () => {
  const { record, api } = await tenant.issue();
  expect(record.last_used_at).toBeNull();
  const since = Date.now();
  ok(await api.get('/v1/keys'));
  await vi.waitFor(
    async () => {
      const { last_used_at } = ok(await tenant.api.get(`/v1/api-keys/${record.api_key_id}`));
      expect(last_used_at).toMatch(/:00\.000Z$/);
      expect(Date.parse(last_used_at ?? '')).toBeGreaterThan(since - 60_000);
    },
    { timeout: 250_000, interval: 1_000 },
  );
});
