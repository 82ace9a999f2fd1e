import { createHash } from 'node:crypto';
import { isApiKey } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { vectors } from '@eaas/test-kit/vectors';
import { hashApiKey, newToken } from './tokens.ts';

test('each new token is different and has a hash and a four-character hint', () => {
  const { token, tokenHash, hint } = newToken();
  expect(isApiKey(token)).toBe(true);
  expect(tokenHash).toEqual(hashApiKey(token));
  expect(token.slice(-4)).toBe(hint);
  expect(newToken().token).not.toBe(token);
});

test.each(vectors('api-key').cases)(
  'the stored hash is the SHA-256 of the whole token: $name',
  ({ token }) => {
    expect(isApiKey(token)).toBe(true);
    expect(hashApiKey(token)).toEqual(createHash('sha256').update(token, 'ascii').digest());
  },
);
