import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { InputError } from '../index.ts';

test.each([
  { encrypt: { maxMessages: 0 } },
  { encrypt: { maxMessages: 2 ** 33 } },
  { encrypt: { maxMessages: 1.1 } },
  { decrypt: { maxEntries: 0.5 } },
  { encrypt: { maxAge: -1 } },
  { decrypt: { maxEntries: Number.NaN } },
  'sometimes' as 'server',
])('the constructor throws for the invalid cache limits %j', (cache) => {
  expect(() => observedClient({ cache })).toThrow(InputError);
});

test('a client decrypts with every preset of `cache`', async () => {
  const { make, client } = observedClient();
  const { ciphertext } = await client.encrypt('x');
  for (const cache of ['server', 'serverless', 'browser'] as const) {
    expect(await make({ cache }).decrypt(ciphertext, { as: 'text' })).toBe('x');
  }
});

test.each([
  { encrypt: { maxAge: 0 } },
  { encrypt: { maxAge: Number.NaN } },
  { encrypt: { maxBytes: 0 } },
  { encrypt: { maxBytes: Number.NaN } },
  { decrypt: { maxAge: 0 } },
  { decrypt: { maxEntries: -1 } },
])('the constructor throws for a limit of zero, -1 or NaN: %j', (cache) => {
  expect(() => observedClient({ cache })).toThrow(InputError);
});
