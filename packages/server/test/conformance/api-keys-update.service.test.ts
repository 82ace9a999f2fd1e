import { describe, expect, test } from 'vitest';
import {
  expectNothingRecorded,
  newestEntry,
  newTenant,
  ok,
  recordOf,
  uniqueName,
  unknownId,
} from '@eaas/test-kit/fixture';
import { auditEntry } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');
const key = await tenant.newKey();

const patch = (id: string, body: object) => tenant.api.patch(`/v1/api-keys/${id}`, body);
const revoke = (id: string) => tenant.api.delete(`/v1/api-keys/${id}`);

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
      expect(await newestEntry(tenant)).toStrictEqual(
        auditEntry({ action: 'api_key.update', key_id: null, key_version: null, actor: tenant.apiKeyId }),
      );
    }
  });

  test('a PATCH of an API key takes effect immediately', async () => {
    const { record, api } = await tenant.issue({ permissions: ['encrypt'] });
    const hash = () => api.post('/v1/hash', { key_id: key.key_id, value: 'x' });
    for (let round = 0; round < 10; round++) {
      expect(await hash()).toHaveStatus(200);
      ok(await patch(record.api_key_id, { permissions: ['decrypt'] }));
      expect(await hash()).toBeProblem('permission_missing');
      ok(await patch(record.api_key_id, { permissions: ['encrypt'], key_ids: [key.key_id] }));
      ok(await patch(record.api_key_id, { key_ids: null }));
    }
  });

  test.for([
    [{ permissions: null }, /permissions/],
    [{ permissions: ['encrypt', 'encrypt'] }, /permissions/],
    [{ permissions: ['encrypts'] }, /permissions/],
    [{ allowed_origins: ['*'] }, /allowed_origins/],
    [{ allowed_origins: [`x://${'a'.repeat(253)}`] }, /allowed_origins/],
    [{ allowed_origins: Array.from({ length: 33 }, (_, n) => `https://${n}.example`) }, /allowed_origins/],
    [{ key_ids: Array.from({ length: 257 }, (_, n) => String(n)) }, /key_ids/],
  ] as const)('PATCH refuses %j', async ([body, detail]) => {
    const { record } = await tenant.issue({ permissions: ['encrypt'] });
    await expectNothingRecorded(tenant, async () => {
      expect(await patch(record.api_key_id, body)).toBeProblem('bad_request', detail);
    });
  });

  test('PATCH refuses tenant-wide permissions for an API key limited to some keys', async () => {
    const wide = await tenant.issue({ permissions: ['audit.read'] });
    expect(await patch(wide.record.api_key_id, { key_ids: [key.key_id] })).toBeProblem('bad_request');
    const narrow = await tenant.issue({ permissions: ['encrypt'], key_ids: [key.key_id] });
    expect(await patch(narrow.record.api_key_id, { permissions: ['usage.read'] })).toBeProblem('bad_request');
  });

  test('PATCH refuses to give an API key rights that the caller does not have', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const caller = await tenant.issue({ permissions: ['api_keys.manage', 'encrypt'], expires_at });
    const lacking = await tenant.issue({ permissions: ['decrypt'], key_ids: [key.key_id], expires_at });
    const path = `/v1/api-keys/${lacking.record.api_key_id}` as const;
    await expectNothingRecorded(tenant, async () => {
      const refused = [
        { permissions: ['encrypt', 'decrypt'] },
        { permissions: ['encrypt'], expires_at: null },
        { permissions: ['encrypt'], expires_at: '2099-01-01T00:00:00Z' },
        { key_ids: null },
        { key_ids: null, name: 'renamed' },
      ];
      for (const body of refused) {
        expect(await caller.api.patch(path, body)).toBeProblem('permission_missing');
      }
    });
    expect(await caller.api.patch(path, { name: 'renamed' })).toHaveStatus(200);
    expect(await caller.api.patch(path, { allowed_origins: ['https://app.example'] })).toHaveStatus(200);
    expect(await caller.api.patch(path, { permissions: ['encrypt'] })).toHaveStatus(200);
    expect(await caller.api.patch(path, { key_ids: null, allowed_origins: null })).toHaveStatus(200);
  });

  test('any API key with api_keys.manage can reduce the rights of an API key', async () => {
    const caller = await tenant.issue({ permissions: ['api_keys.manage'] });
    const { record } = await tenant.issue({ permissions: ['encrypt', 'decrypt'] });
    const path = `/v1/api-keys/${record.api_key_id}` as const;
    expect(await caller.api.patch(path, { expires_at: '2099-01-01T00:00:00Z' })).toHaveStatus(200);
    expect(await caller.api.patch(path, { expires_at: '2098-01-01T00:00:00Z' })).toHaveStatus(200);
    expect(await caller.api.patch(path, { permissions: ['decrypt'], key_ids: [key.key_id] })).toHaveStatus(
      200,
    );
    expect(await caller.api.patch(path, { expires_at: '2099-01-01T00:00:00Z' })).toBeProblem(
      'permission_missing',
    );
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
      const same = {
        name: record.name,
        permissions: ['decrypt', 'encrypt'],
        key_ids: [key.key_id.toUpperCase()],
      };
      expect((await patch(record.api_key_id, same)).body).toStrictEqual(recordOf(record));
      expect(await patch(record.api_key_id, {})).toHaveStatus(200);
    });
  });

  test("the tenant's last API key with api_keys.manage and without an expiry cannot lose its rights", async () => {
    const own = await newTenant();
    const path = `/v1/api-keys/${own.apiKeyId}` as const;
    const others = [{ expires_at: '2099-01-01T00:00:00Z' }, { permissions: ['encrypt'] }] as const;
    await own.issue({ permissions: ['api_keys.manage'], expires_at: '2099-01-01T00:00:00Z' });
    await expectNothingRecorded(own, async () => {
      for (const body of others) expect(await own.api.patch(path, body)).toBeProblem('conflict');
    });
    expect(await own.api.patch(path, { name: 'renamed' })).toHaveStatus(200);
    expect(await own.api.patch(path, { permissions: ['api_keys.manage', 'audit.read'] })).toHaveStatus(200);
    await own.issue({ permissions: ['api_keys.manage'] });
    expect(await own.api.patch(path, { expires_at: '2099-01-01T00:00:00Z' })).toHaveStatus(200);
  });

  test('an API key cannot give itself more rights', async () => {
    const { record, api } = await tenant.issue({ permissions: ['api_keys.manage'] });
    const path = `/v1/api-keys/${record.api_key_id}` as const;
    expect(await api.patch(path, { permissions: ['api_keys.manage', 'keys.export'] })).toBeProblem(
      'permission_missing',
    );
    expect(await api.get('/v1/keys')).toBeProblem('permission_missing');
  });

  test('PATCH of a revoked API key returns 409', async () => {
    const { record } = await tenant.issue({ permissions: ['encrypt'] });
    ok(await revoke(record.api_key_id));
    await expectNothingRecorded(tenant, async () => {
      expect(await patch(record.api_key_id, { name: 'x' })).toBeProblem('conflict');
    });
  });

  test('PATCH returns 404 for an unknown key', async () => {
    const { record } = await tenant.issue({ permissions: ['encrypt'] });
    for (const id of [unknownId(), key.name]) {
      const key_ids = [key.key_id, id];
      expect(await patch(record.api_key_id, { key_ids })).toBeProblem('not_found', /`key_ids\[1\]`/);
    }
  });
});
