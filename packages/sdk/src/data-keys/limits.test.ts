import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { InputError } from '../index.ts';

test.each([
  { encrypt: { maxMessages: 0 } },
  { encrypt: { maxMessages: 2 ** 33 } },
  { encrypt: { maxMessages: 1.1 } },
  { encrypt: { maxEntries: 0 } },
  { encrypt: { maxBytes: 0 } },
  { encrypt: { maxAge: -1 } },
  { encrypt: { maxAge: Number.NaN } },
  { decrypt: { maxAge: 0 } },
  { decrypt: { maxAge: '1' as never } },
  { decrypt: { maxEntries: -1 } },
  { decrypt: { maxEntries: 0.5 } },
  { decrypt: { maxEntries: Number.NaN } },
  'sometimes' as 'server',
])('the constructor throws for the invalid cache limits %j', (cache) => {
  expect(() => observedClient({ cache })).toThrow(InputError);
});
