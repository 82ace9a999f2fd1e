import { expect, test } from 'vitest';
import { newDek, newestEntry, newTenant, ok, wrapped } from '@eaas/test-kit/fixture';
import { aBase64 } from './shapes.ts';

const tenant = await newTenant('--envelope-only', 'true');

const rewrap = (keyId: string, body: object) => tenant.api.post(`/v1/keys/${keyId}/rewrap`, body);

test('rewrap replaces a wrapped key of an older version, and does not return the DEK', async () => {
  const { key_id } = await tenant.newKey();
  const [dek, context] = [newDek(), { a: 'b' }];
  const old = ok(await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek, context })).wrapped_key;
  ok(await tenant.api.post(`/v1/keys/${key_id}/rotate`));
  const before = await tenant.auditTotal();
  const answer = await rewrap(key_id, { wrapped_key: old, context });
  expect(answer).toHaveStatus(200);
  expect(answer.body).toStrictEqual({ wrapped_key: aBase64, key_id, key_version: 2, rewrapped: true });
  expect(answer.body.wrapped_key).not.toBe(old);
  expect(answer.text).not.toContain(dek);
  expect(await tenant.auditTotal()).toBe(before + 1);
  expect(await newestEntry(tenant)).toMatchObject({
    action: 'key.wrap',
    key_id,
    key_version: 2,
    metadata: { from_version: 1 },
  });
  const body = { wrapped_key: answer.body.wrapped_key, context };
  expect(ok(await tenant.api.post(`/v1/keys/${key_id}/unwrap`, body)).dek).toBe(dek);
});

test('rewrap returns a wrapped key unchanged if it has the newest version', async () => {
  const { key_id } = await tenant.newKey();
  const wrapped_key = await wrapped(tenant.api, key_id);
  const before = await tenant.auditTotal();
  const answer = await rewrap(key_id, { wrapped_key });
  expect(answer.body).toStrictEqual({ wrapped_key, key_id, key_version: 1, rewrapped: false });
  expect(await tenant.auditTotal()).toBe(before + 1);
  expect(await newestEntry(tenant)).toMatchObject({ action: 'key.wrap', metadata: { from_version: 1 } });
});

test('if the authentication of a wrapped_key fails, rewrap returns 403 and records the refusal', async () => {
  const { key_id } = await tenant.newKey();
  const other = await tenant.newKey();
  const [foreign, bound] = [
    await wrapped(tenant.api, other.key_id),
    await wrapped(tenant.api, key_id, { a: 'b' }),
  ];
  for (const wrapped_key of [foreign, bound, 'AAAA']) {
    expect(await rewrap(key_id, { wrapped_key })).toBeProblem('wrapped_key_unauthentic');
    expect(await newestEntry(tenant)).toMatchObject({
      action: 'key.wrap',
      key_id,
      metadata: { outcome: 'refused', code: 'wrapped_key_unauthentic' },
    });
  }
});
