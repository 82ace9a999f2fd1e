import { expect, test } from 'vitest';
import { expectNothingRecorded, keyIn, newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';
import { aTimestamp, auditEntry, keyRecord } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');

const put = (keyId: string, body: unknown) => tenant.api.put(`/v1/keys/${keyId}/rotation-policy`, body);

test('a rotation policy sets the interval and the next rotation', async () => {
  const { key_id, name, created_at } = await tenant.newKey();
  for (const interval_days of [1, 90, 3_650]) {
    const answer = await put(key_id, { interval_days });
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual(
      keyRecord({ key_id, name, rotation_policy: { interval_days }, next_rotation_at: aTimestamp }),
    );
    expect(Date.parse(answer.body.next_rotation_at ?? '')).toBeGreaterThan(Date.parse(created_at));
    expect(await newestEntry(tenant)).toStrictEqual(
      auditEntry({ action: 'key.rotation_policy', key_id, actor: tenant.apiKeyId }),
    );
  }
  const none = ok(await put(key_id, { interval_days: null }));
  expect(none).toStrictEqual(keyRecord({ key_id, name }));
});

test('a PUT of the interval that is already set does not postpone the next rotation', async () => {
  const { key_id } = await tenant.newKey({ rotation_policy: { interval_days: 30 } });
  const rotated = ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  await expectNothingRecorded(tenant, async () => {
    const answer = await put(key_id, { interval_days: 30 });
    expect(answer).toHaveStatus(200);
    expect(answer.body).toStrictEqual(rotated);
  });
  const without = ok(await put(key_id, { interval_days: null }));
  await expectNothingRecorded(tenant, async () => {
    expect(ok(await put(key_id, { interval_days: null }))).toStrictEqual(without);
  });
});

test('a PUT of the interval that is already set is refused while a destruction is pending', async () => {
  const fields = { rotation_policy: { interval_days: 30 } };
  const { key_id } = await keyIn(tenant, 'pending_destruction', fields);
  expect(await put(key_id, { interval_days: 30 })).toBeProblem('key_state');
});

test('a manual rotation postpones the next automatic rotation', async () => {
  const { key_id } = await tenant.newKey({ rotation_policy: { interval_days: 10 } });
  const rotated = ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  const due = Date.parse(rotated.next_rotation_at ?? '') - Date.parse(rotated.rotated_at ?? '');
  expect(due).toBe(10 * 86_400_000);
});
