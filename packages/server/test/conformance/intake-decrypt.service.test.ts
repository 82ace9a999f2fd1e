import { expect, test } from 'vitest';
import { newestEntry, newTenant, ok } from '@eaas/test-kit/fixture';
import { intakeWriter } from '@eaas/test-kit/intake-writer';

const tenant = await newTenant();
const writer = await intakeWriter(tenant);

const decrypt = (body: object, keyId = writer.keyId) =>
  tenant.api.post('/v1/decrypt', { key_id: keyId, key_version: 1, ...body });

test('decrypt decrypts a ciphertext of an intake writer, and the audit entry has `intake: true`', async () => {
  const ciphertext = await writer.encrypt('Grüße');
  expect((await decrypt({ ciphertext })).body).toStrictEqual({ plaintext: 'Grüße' });
  const { action, metadata } = await newestEntry(tenant);
  expect({ action, metadata }).toStrictEqual({ action: 'decrypt', metadata: { intake: true } });
});

test('decrypt uses the `wrapped_key` that rewrap returned instead of the wrapped key in the ciphertext', async () => {
  const ciphertext = await writer.encrypt('kept');
  const wrapped_key = Buffer.from(ciphertext, 'base64').subarray(26, 1_200).toString('base64');
  const rewrapped = ok(await tenant.api.post(`/v1/keys/${writer.keyId}/rewrap`, { wrapped_key })).wrapped_key;
  expect((await decrypt({ ciphertext, wrapped_key: rewrapped })).body).toStrictEqual({ plaintext: 'kept' });
  expect((await newestEntry(tenant)).metadata).toStrictEqual({});
});

test('decrypt refuses a ciphertext that an intake writer made for another context, key version or key', async () => {
  const ciphertext = await writer.encrypt('x');
  const other = await intakeWriter(tenant);
  expect(await decrypt({ ciphertext, context: { a: 'b' } })).toBeProblem('decryption_failed');
  expect(await decrypt({ ciphertext, key_version: 2 })).toBeProblem('decryption_failed');
  expect(await decrypt({ ciphertext }, other.keyId)).toBeProblem('decryption_failed');
});
