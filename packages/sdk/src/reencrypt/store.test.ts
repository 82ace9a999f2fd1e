import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { isEncrypted } from './reencrypt.ts';

test('`isEncrypted` returns true for an envelope as text or as bytes, and false for a truncated envelope', async () => {
  const { client } = observedClient();
  const { ciphertext } = await client.encrypt('a');
  expect(isEncrypted(ciphertext)).toBe(true);
  expect(isEncrypted(await client.encrypt('a', { as: 'bytes' }))).toBe(true);
  const others = [null, undefined, '', 'eaas@example.com', ciphertext.slice(0, 96), Uint8Array.of(1, 2, 3)];
  expect(others.map(isEncrypted)).toEqual(others.map(() => false));
});
