import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { InputError } from '../index.ts';

test.each([
  { encrypt: { maxMessages: 0 } },
  { encrypt: { maxMessages: 2 ** 33 } },
  { encrypt: { maxAge: -1 } },
  { decrypt: { maxAge: 0 } },
  { decrypt: { maxEntries: -1 } },
  'sometimes' as 'server',
])('the constructor throws for the invalid cache limits %j', async (cache) => {
  const { make } = await observedClient();
  expect(() => make({ cache })).toThrow(InputError);
});
