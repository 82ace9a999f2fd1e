import { describe, expect, test } from 'vitest';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { InputError } from '../errors.ts';
import { formatApiKey, isApiKey } from './api-key.ts';

describe('an API key', () => {
  const { cases, refusals } = vectors('api-key');

  test.each(cases)(
    'the bytes of the test vector are formatted as its API key: $name',
    ({ bytes: secret, token }) => {
      expect(formatApiKey(bytes(secret))).toBe(token);
      expect(isApiKey(token)).toBe(true);
    },
  );

  test.each(refusals)('the invalid token of the vector is refused: $name', ({ token }) => {
    expect(isApiKey(token)).toBe(false);
  });

  test('an API key can only be made from exactly 32 bytes', () => {
    expect(() => formatApiKey(new Uint8Array(31))).toThrow(InputError);
  });
});
