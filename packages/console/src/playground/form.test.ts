import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { openForm, submit } from './form.ts';

test('the client decrypts what the form writes with the public key of an intake key', async () => {
  const client = new EaasClient({ ...createTestService() });
  const { key_id } = await client.keys.create({ name: 'form', intake: true });
  const form = await openForm({ client }, key_id);
  const { ciphertext, context } = await submit(form, 'Please call me back.');
  const { keyId } = form.intake;
  expect(keyId).toBe(key_id);
  expect(await client.decrypt(ciphertext, { keyId, as: 'text', context })).toBe('Please call me back.');
});
