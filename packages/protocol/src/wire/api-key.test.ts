import * as fc from 'fast-check';
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

  test('one wrong digit makes an API key invalid', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.integer({ min: 8, max: 56 }),
        fc.constantFrom('0', 'A', 'a', 'z', '9', '-'),
        (secret, at, digit) => {
          const token = formatApiKey(secret);
          expect(isApiKey(token)).toBe(true);
          const mistyped = token.slice(0, at) + digit + token.slice(at + 1);
          expect(isApiKey(mistyped)).toBe(mistyped === token);
        },
      ),
    );
  });

  test('an API key can only be made from exactly 32 bytes', () => {
    expect(() => formatApiKey(new Uint8Array(31))).toThrow(InputError);
  });
});
