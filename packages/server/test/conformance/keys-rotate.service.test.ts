import { describe, expect, test } from 'vitest';
import { expectNothingRecorded, newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';
import { aTimestamp, auditEntry, keyRecord } from './shapes.ts';

const tenant = await newTenant();

describe('rotate', () => {
  const rotate = (keyId: string, body?: object) => tenant.api.post(`/v1/keys/${keyId}/rotate`, body);

  test('rotate creates the next version of the key and writes an audit entry', async () => {
    const { key_id, name } = await tenant.newKey();
    const answer = await rotate(key_id);
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual(keyRecord({ key_id, name, key_version: 2, rotated_at: aTimestamp }));
    expect(await newestEntry(tenant)).toStrictEqual(
      auditEntry({ action: 'key.rotate', key_id, key_version: 2, actor: tenant.apiKeyId }),
    );
    expect(ok(await rotate(key_id, {})).key_version).toBe(3);
  });

  test('a repeated call of rotate with the same key_version rotates the key only once', async () => {
    const { key_id } = await tenant.newKey();
    expect(ok(await rotate(key_id, { key_version: 1 })).key_version).toBe(2);
    await expectNothingRecorded(tenant, async () => {
      for (const key_version of [1, 3, 0, -1, 2 ** 40]) {
        expect(await rotate(key_id, { key_version })).toBeProblem('key_state');
      }
    });
    const racing = await Promise.all(Array.from({ length: 10 }, () => rotate(key_id, { key_version: 2 })));
    expect(racing.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(racing.filter((answer) => answer.status === 409)).toHaveLength(9);
    expect(ok(await tenant.api.get(`/v1/keys/${key_id}`)).key_version).toBe(3);
  });
});
