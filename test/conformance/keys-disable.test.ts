import { beforeAll, describe, expect, test } from 'vitest';
import { covers } from './covers.ts';
import { newestEntry, newTenant, type Tenant } from './fixture.ts';
import { auditEntry, keyRecord } from './shapes.ts';

let tenant: Tenant;

beforeAll(async () => {
  tenant = await newTenant();
});

describe('disable and enable', () => {
  test(
    'a disabled key can be enabled again, and both are recorded',
    covers(
      'contract: POST /v1/keys/:id/disable: key record; 409 unless active.',
      'contract: POST /v1/keys/:id/enable (action `key.enable`): key record; 409 unless disabled.',
      "contract: Actions beyond the interface's list, complete: `key.enable`, `key.restore`, `tenant.update`.",
    ),
    async () => {
      const { key_id, name } = await tenant.newKey();
      const disabled = await tenant.api.post(`/v1/keys/${key_id}/disable`);
      expect(disabled).toHaveStatus(200);
      expect(disabled.body).toStrictEqual(keyRecord({ key_id, name, status: 'disabled' }));
      expect(await newestEntry(tenant)).toStrictEqual(auditEntry({ action: 'key.disable', key_id }));
      const enabled = await tenant.api.post(`/v1/keys/${key_id}/enable`);
      expect(enabled).toHaveStatus(200);
      expect(enabled.body).toStrictEqual(keyRecord({ key_id, name }));
      expect(await newestEntry(tenant)).toStrictEqual(auditEntry({ action: 'key.enable', key_id }));
    },
  );

  test(
    'ten at once disable once, and enable once',
    covers(
      'contract: POST /v1/keys/:id/disable: key record; 409 unless active.',
      'contract: POST /v1/keys/:id/enable (action `key.enable`): key record; 409 unless disabled.',
    ),
    async () => {
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
    },
  );
});
