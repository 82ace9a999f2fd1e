import { expect, test } from 'vitest';
import { newDek, newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';
import { intakeWriter } from '@eaas/test-kit/intake-writer';

const tenant = await newTenant('--envelope-only', 'true');
const writer = await intakeWriter(tenant);

const rewrap = (keyId: string, body: object) => tenant.api.post(`/v1/keys/${keyId}/rewrap`, body);

test('rewrap replaces the wrapped key of a writer by an ordinary wrapped key, even under the newest key version', async () => {
  const [dek, context] = [newDek(), { tenant: 'clinic' }];
  const wrapped_key = await writer.wrap({ dek, context });
  const answer = ok(await rewrap(writer.keyId, { wrapped_key, context }));
  expect(answer).toMatchObject({ key_id: writer.keyId, key_version: 1, rewrapped: true });
  const bytes = Buffer.from(answer.wrapped_key, 'base64');
  expect(bytes).toHaveLength(78);
  expect(bytes.toString('hex', 0, 6)).toBe('010100000001');
  const { action, metadata } = await newestEntry(tenant);
  expect({ action, metadata }).toStrictEqual({
    action: 'key.wrap',
    metadata: { context, from_version: 1, intake: true },
  });

  const again = { wrapped_key: answer.wrapped_key, context };
  expect(ok(await tenant.api.post(`/v1/keys/${writer.keyId}/unwrap`, again)).dek).toBe(dek);
  expect(ok(await rewrap(writer.keyId, again)).rewrapped).toBe(false);
  expect((await newestEntry(tenant)).metadata).toStrictEqual({ context, from_version: 1 });
});

test('rewrap moves a data key of an older version to the newest version', async () => {
  const own = await intakeWriter(tenant);
  const dek = newDek();
  const wrapped_key = await own.wrap({ dek });
  ok(await tenant.api.post(`/v1/keys/${own.keyId}/rotate`));
  const answer = ok(await rewrap(own.keyId, { wrapped_key }));
  expect(answer).toMatchObject({ key_version: 2, rewrapped: true });
  expect((await newestEntry(tenant)).metadata).toStrictEqual({ from_version: 1, intake: true });
  const unwrapped = await tenant.api.post(`/v1/keys/${own.keyId}/unwrap`, {
    wrapped_key: answer.wrapped_key,
  });
  expect(ok(unwrapped)).toStrictEqual({ dek, key_id: own.keyId, key_version: 2 });
});

test('a batch rewraps wrapped keys from the service and from intake writers', async () => {
  const key_id = writer.keyId;
  const ordinary = ok(await tenant.api.post(`/v1/keys/${key_id}/wrap`, { dek: newDek() }));
  const items = [
    { key_id, wrapped_key: await writer.wrap() },
    { key_id, wrapped_key: ordinary.wrapped_key },
  ];
  const { results } = ok(await tenant.api.post('/v1/batch/rewrap', { items }));
  expect(results).toMatchObject([{ rewrapped: true }, { rewrapped: false }]);
});
