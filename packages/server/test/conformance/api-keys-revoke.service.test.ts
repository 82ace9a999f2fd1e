import { describe, expect, test } from 'vitest';
import { expectNothingRecorded, newestEntry, newTenant, recordOf } from '@eaas/test-kit/fixture';
import { aTimestamp, auditEntry } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');

const revoke = (id: string) => tenant.api.delete(`/v1/api-keys/${id}`);

describe('DELETE /v1/api-keys/:id', () => {
  test('DELETE revokes an API key once, and a second call returns 200', async () => {
    const { record, api } = await tenant.issue();
    expect(await api.get('/v1/keys')).toHaveStatus(200);
    const answer = await revoke(record.api_key_id);
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual({
      ...recordOf(record),
      revoked_at: aTimestamp,
      last_used_at: answer.body.last_used_at,
    });
    expect(await newestEntry(tenant)).toStrictEqual(
      auditEntry({ action: 'api_key.revoke', key_id: null, key_version: null, actor: tenant.apiKeyId }),
    );
    expect(await api.get('/v1/keys')).toBeProblem('unauthorized');
    await expectNothingRecorded(tenant, async () => {
      const again = await revoke(record.api_key_id);
      expect(again).toHaveStatus(200);
      expect(again.body.revoked_at).toBe(answer.body.revoked_at);
    });
  });

  test('ten concurrent DELETE calls revoke an API key once and write one audit entry', async () => {
    const { record } = await tenant.issue({ permissions: ['encrypt'] });
    const before = await tenant.auditTotal();
    const answers = await Promise.all(Array.from({ length: 10 }, () => revoke(record.api_key_id)));
    expect(new Set(answers.map((answer) => answer.status))).toStrictEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.body.revoked_at)).size).toBe(1);
    expect(await tenant.auditTotal()).toBe(before + 1);
  });

  test('an API key with api_keys.manage can revoke every API key, including itself', async () => {
    const manager = await tenant.issue({ permissions: ['api_keys.manage'] });
    const { record } = await tenant.issue();
    expect(await manager.api.delete(`/v1/api-keys/${record.api_key_id}`)).toHaveStatus(200);
    expect(await manager.api.delete(`/v1/api-keys/${manager.record.api_key_id}`)).toHaveStatus(200);
    expect(await manager.api.get('/v1/api-keys')).toBeProblem('unauthorized');
  });

  test('concurrent calls cannot revoke the last API key that manages API keys and does not expire', async () => {
    const own = await newTenant();
    await own.issue({ permissions: ['encrypt'] });
    await own.issue({ permissions: ['api_keys.manage'], expires_at: '2099-01-01T00:00:00Z' });
    await expectNothingRecorded(own, async () => {
      expect(await own.api.delete(`/v1/api-keys/${own.apiKeyId}`)).toBeProblem('conflict');
    });
    const second = await own.issue();
    const racing = await Promise.all([
      own.api.delete(`/v1/api-keys/${own.apiKeyId}`),
      second.api.delete(`/v1/api-keys/${second.record.api_key_id}`),
    ]);
    const statuses = racing.map(({ status }) => status).sort((a, b) => a - b);
    expect(statuses).toStrictEqual([200, 409]);
  });
});
