import { describe, expect, test } from 'vitest';
import { newestEntry, newTenant } from '@eaas/test-kit/fixture';
import { auditEntry, keyRecord } from './shapes.ts';

const tenant = await newTenant();

describe('disable and enable', () => {
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
      expect(statuses.toSorted((a, b) => a - b)).toStrictEqual([
        200,
        ...Array.from({ length: 9 }, () => 409),
      ]);
    }
    expect(await tenant.auditTotal()).toBe(before + 2);
  });
});
