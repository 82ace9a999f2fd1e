import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/sdk/testing';
import { expect, test } from 'vitest';
import { formKeyName, openForm, submit } from './form.ts';

test('the form creates one intake key, and the client decrypts what the form writes', async () => {
  const client = new EaasClient({ ...createTestService() });
  const [first, second] = [await openForm({ client }), await openForm({ client })];
  expect(second.publicKey).toBe(first.publicKey);
  expect((await client.keys.page()).keys).toMatchObject([{ name: formKeyName, intake: true }]);
  const { ciphertext, context } = await submit(first, 'Please call me back.');
  const { keyId } = first.intake;
  expect(await client.decrypt(ciphertext, { keyId, as: 'text', context })).toBe('Please call me back.');
});

test('opening the form fails if a key with the name of the form is not an intake key', async () => {
  const client = new EaasClient({ ...createTestService() });
  await client.keys.create({ name: formKeyName });
  await expect(openForm({ client })).rejects.toMatchObject({ code: 'name_taken' });
});
