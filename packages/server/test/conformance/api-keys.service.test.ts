import { describe, expect, test } from 'vitest';
import {
  allPermissions,
  expectNothingRecorded,
  newestEntry,
  newTenant,
  ok,
  recordOf,
  uniqueName,
  unknownId,
} from '@eaas/test-kit/fixture';
import { apiKeyRecord, aTimestamp } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');
const key = await tenant.newKey();
const actor = tenant.apiKeyId;

const pathOf = (id: string) => `/v1/api-keys/${id}` as const;
const create = (fields: object, { api } = tenant) =>
  api.post('/v1/api-keys', { name: 'ci', permissions: ['encrypt'], ...fields });
const patch = (id: string, body: object, { api } = tenant) => api.patch(pathOf(id), body);
const revoke = (id: string, { api } = tenant) => api.delete(pathOf(id));
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe('POST /v1/api-keys', () => {
  test('POST /v1/api-keys returns 201 with the record and the token, which nothing else shows', async () => {
    const name = uniqueName('ci');
    const answer = await create({ name, permissions: ['decrypt', 'encrypt'] });
    expect(answer).toHaveStatus(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { api_key, ...record } = answer.body;
    expect(record).toStrictEqual(
      apiKeyRecord({
        name,
        hint: api_key.slice(-4),
        permissions: expect.toSatisfy((list: string[]) => list.toSorted().join() === 'decrypt,encrypt'),
        created_by: actor,
      }),
    );
    const entry = await newestEntry(tenant);
    expect(entry).toMatchObject({ action: 'api_key.create', key_id: null, key_version: null, actor });
    expect(JSON.stringify(entry)).not.toContain(api_key);
    for (const id of [record.api_key_id, record.api_key_id.toUpperCase()]) {
      const shown = await tenant.api.get(pathOf(id));
      expect(shown.text).not.toContain(api_key);
      expect(shown.body).toStrictEqual(record);
    }
  });
});

describe('refused when an API key is created or changed', () => {
  test.for<[string, object, RegExp]>([
    ['a permission twice', { permissions: ['encrypt', 'encrypt'] }, /permissions/],
    ['a key twice, in two cases', { key_ids: [key.key_id, key.key_id.toUpperCase()] }, /key_ids/],
  ])('%s', async ([, fields, detail]) => {
    const { record } = await tenant.issue({ permissions: ['encrypt'] });
    await expectNothingRecorded(tenant, async () => {
      expect(await create(fields)).toBeProblem('bad_request', detail);
      expect(await patch(record.api_key_id, fields)).toBeProblem('bad_request', detail);
    });
  });

  test.for(['audit.read', 'usage.read', 'api_keys.manage', 'subjects.erase'])(
    '%s for an API key limited to some keys',
    async (permission) => {
      const [key_ids, permissions] = [[key.key_id], ['encrypt', permission]];
      const wide = await tenant.issue({ permissions });
      const narrow = await tenant.issue({ permissions: ['encrypt'], key_ids });
      expect(await create({ key_ids, permissions })).toBeProblem('bad_request');
      expect(await patch(wide.record.api_key_id, { key_ids })).toBeProblem('bad_request');
      expect(await patch(narrow.record.api_key_id, { permissions })).toBeProblem('bad_request');
    },
  );

  test('an unknown key id, or the name of a key', async () => {
    const { record } = await tenant.issue({ permissions: ['encrypt'] });
    for (const id of [unknownId(), key.name, '']) {
      const key_ids = [key.key_id, id];
      expect(await create({ key_ids })).toBeProblem('not_found', /`key_ids\[1\]`/);
      expect(await patch(record.api_key_id, { key_ids })).toBeProblem('not_found', /`key_ids\[1\]`/);
    }
  });
});

describe('an API key gives only rights that it has', () => {
  test('a new one has no permission that its creator lacks', async () => {
    const by = await tenant.issue({ permissions: ['api_keys.manage', 'encrypt'] });
    const own = new Set(['api_keys.manage', 'encrypt']);
    expect(await create({ permissions: [...own] }, { ...tenant, ...by })).toHaveStatus(201);
    await expectNothingRecorded(tenant, async () => {
      for (const permission of allPermissions.filter((one) => !own.has(one))) {
        const permissions = ['encrypt', permission];
        expect(await create({ permissions }, { ...tenant, ...by })).toBeProblem('permission_missing');
      }
    });
  });

  test('a new one does not expire later than its creator', async () => {
    const own = inAnHour();
    const by = { ...tenant, ...(await tenant.issue({ expires_at: own })) };
    expect(await create({ expires_at: own }, by)).toHaveStatus(201);
    const later = new Date(Date.parse(own) + 1).toISOString();
    for (const fields of [{}, { expires_at: null }, { expires_at: later }]) {
      expect(await create(fields, by)).toBeProblem('permission_missing');
    }
  });

  test('PATCH refuses to give an API key rights that the caller does not have', async () => {
    const expires_at = inAnHour();
    const caller = await tenant.issue({ permissions: ['api_keys.manage', 'encrypt'], expires_at });
    const lacking = await tenant.issue({ permissions: ['decrypt'], key_ids: [key.key_id], expires_at });
    const change = (body: object) => patch(lacking.record.api_key_id, body, { ...tenant, ...caller });
    await expectNothingRecorded(tenant, async () => {
      for (const body of [
        { permissions: ['encrypt', 'decrypt'] },
        { permissions: ['encrypt'], expires_at: null },
        { permissions: ['encrypt'], expires_at: '2099-01-01T00:00:00Z' },
        { key_ids: null, name: 'renamed' },
      ]) {
        expect(await change(body)).toBeProblem('permission_missing');
      }
    });
    expect(await change({ name: 'renamed' })).toHaveStatus(200);
    expect(await change({ allowed_origins: ['https://app.example'] })).toHaveStatus(200);
    expect(await change({ permissions: ['encrypt'] })).toHaveStatus(200);
    expect(await change({ key_ids: null, allowed_origins: null })).toHaveStatus(200);
  });
});

describe('PATCH /v1/api-keys/:id', () => {
  test('PATCH of an API key changes the given fields and keeps the other fields', async () => {
    const { record } = await tenant.issue({ permissions: ['encrypt'] });
    const expected: Record<string, unknown> = recordOf(record);
    const changes: Record<string, unknown>[] = [
      { name: uniqueName('renamed') },
      { permissions: ['decrypt'] },
      { key_ids: [key.key_id] },
      { expires_at: '2099-01-01T00:00:00.000Z' },
      { allowed_origins: ['https://app.example'] },
      { key_ids: null, expires_at: null, allowed_origins: null },
    ];
    for (const change of changes) {
      Object.assign(expected, change);
      const answer = await patch(record.api_key_id, change);
      expect(answer).toHaveStatus(200);
      expect(answer.body).toStrictEqual({ ...expected, last_used_at: answer.body.last_used_at });
      expect(await newestEntry(tenant)).toMatchObject({ action: 'api_key.update', key_id: null, actor });
    }
  });

  test('a PATCH of the permissions counts at once', async () => {
    const { record, api } = await tenant.issue({ permissions: ['encrypt'] });
    const hash = () => api.post('/v1/hash', { key_id: key.key_id, value: 'x' });
    for (let round = 0; round < 3; round++) {
      expect(await hash()).toHaveStatus(200);
      ok(await patch(record.api_key_id, { permissions: ['decrypt'] }));
      expect(await hash()).toBeProblem('permission_missing');
      ok(await patch(record.api_key_id, { permissions: ['encrypt'] }));
    }
  });

  test('the audit entry of a PATCH has the old and new values', async () => {
    const { record } = await tenant.issue({ permissions: ['encrypt'] });
    const expires_at = '2099-01-01T00:00:00.000Z';
    const body = { name: record.name, permissions: ['decrypt', 'keys.read'], expires_at };
    ok(await patch(record.api_key_id, body));
    const { metadata } = await newestEntry(tenant);
    expect(metadata).toStrictEqual({
      api_key_id: record.api_key_id,
      changes: {
        permissions: { old: ['encrypt'], new: ['decrypt', 'keys.read'] },
        expires_at: { old: null, new: expires_at },
      },
      previous_change: expect.any(Number) as number,
    });
  });

  test('a PATCH without a change returns 200 and writes no audit entry', async () => {
    const permissions = ['encrypt', 'decrypt'] as const;
    const { record } = await tenant.issue({ permissions, key_ids: [key.key_id] });
    await expectNothingRecorded(tenant, async () => {
      const key_ids = [key.key_id.toUpperCase()];
      const same = { name: record.name, permissions: permissions.toReversed(), key_ids };
      expect((await patch(record.api_key_id, same)).body).toStrictEqual(recordOf(record));
      expect(await patch(record.api_key_id, {})).toHaveStatus(200);
    });
  });

  test("the tenant's last API key with api_keys.manage and without an expiry cannot lose its rights", async () => {
    const own = await newTenant();
    const change = (body: object) => patch(own.apiKeyId, body, own);
    const expires_at = '2099-01-01T00:00:00Z';
    await own.issue({ permissions: ['api_keys.manage'], expires_at });
    await expectNothingRecorded(own, async () => {
      for (const body of [{ expires_at }, { permissions: ['encrypt'] }]) {
        expect(await change(body)).toBeProblem('conflict');
      }
    });
    expect(await change({ permissions: ['api_keys.manage', 'audit.read'] })).toHaveStatus(200);
    await own.issue({ permissions: ['api_keys.manage'] });
    expect(await change({ expires_at })).toHaveStatus(200);
  });
});

test('GET /v1/api-keys lists all API keys in pages, including revoked API keys, without tokens', async () => {
  const own = await newTenant();
  const { record } = await own.issue({ permissions: ['encrypt'] });
  const revoked = ok(await revoke((await own.issue()).record.api_key_id, own));
  const list = await own.api.get('/v1/api-keys');
  const { api_keys, ...page } = ok(list);
  expect(page).toStrictEqual({ count: 3, total: 3, limit: 50, offset: 0 });
  expect(api_keys).toContainEqual(recordOf(record));
  expect(api_keys).toContainEqual(revoked);
  const first = api_keys.find((one) => one.api_key_id === own.apiKeyId);
  expect({ ...first, last_used_at: null }).toStrictEqual(apiKeyRecord({ created_by: 'operator' }));
  expect(list.text).not.toContain('eaas_sk_');
  const small = ok(await own.api.get('/v1/api-keys?limit=1&offset=1'));
  expect(small).toMatchObject({ count: 1, total: 3, limit: 1, offset: 1 });
  expect(small.api_keys).toStrictEqual(api_keys.slice(1, 2));
});

describe('DELETE /v1/api-keys/:id', () => {
  test('ten concurrent DELETE calls revoke an API key once and write one audit entry', async () => {
    const { record, api } = await tenant.issue();
    expect(await api.get('/v1/keys')).toHaveStatus(200);
    const before = await tenant.auditTotal();
    const answers = await Promise.all(Array.from({ length: 10 }, () => revoke(record.api_key_id)));
    const { revoked_at } = ok(await revoke(record.api_key_id));
    expect(revoked_at).toEqual(aTimestamp);
    for (const revoked of answers.map(ok)) {
      const { last_used_at } = revoked;
      expect(revoked).toStrictEqual({ ...recordOf(record), revoked_at, last_used_at });
    }
    expect(await patch(record.api_key_id, { name: 'x' })).toBeProblem('conflict');
    expect(await tenant.auditTotal()).toBe(before + 1);
    expect(await newestEntry(tenant)).toMatchObject({ action: 'api_key.revoke', key_id: null, actor });
    expect(await api.get('/v1/keys')).toBeProblem('unauthorized');
  });

  test('an API key can revoke itself', async () => {
    const own = { ...tenant, ...(await tenant.issue({ permissions: ['api_keys.manage'] })) };
    expect(await revoke(own.record.api_key_id, own)).toHaveStatus(200);
    expect(await own.api.get('/v1/api-keys')).toBeProblem('unauthorized');
  });

  test('concurrent calls cannot revoke the last API key that manages API keys and does not expire', async () => {
    const own = await newTenant();
    await own.issue({ permissions: ['encrypt'] });
    await own.issue({ permissions: ['api_keys.manage'], expires_at: '2099-01-01T00:00:00Z' });
    await expectNothingRecorded(own, async () => {
      expect(await revoke(own.apiKeyId, own)).toBeProblem('conflict');
    });
    const second = await own.issue();
    const racing = await Promise.all([
      revoke(own.apiKeyId, own),
      revoke(second.record.api_key_id, { ...own, ...second }),
    ]);
    const statuses = racing.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toStrictEqual([200, 409]);
  });
});

test('an API key that is limited to some keys finds only these keys in lists', async () => {
  const other = await tenant.newKey();
  const { api } = await tenant.issue({ key_ids: [key.key_id], permissions: ['keys.read'] });
  expect(ok(await api.get('/v1/keys'))).toMatchObject({ keys: [{ key_id: key.key_id }], total: 1 });
  expect(ok(await api.get(`/v1/keys?name=${encodeURIComponent(other.name)}`)).total).toBe(0);
});
