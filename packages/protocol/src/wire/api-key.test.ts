import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytes, vectors } from '../../../../test/vectors/vectors.ts';
import { InputError } from '../errors.ts';
import { formatApiKey, isApiKey } from './api-key.ts';

describe('an API key', () => {
  const { cases, refusals } = vectors('api-key');

  test.each(cases)('vector: $name', ({ bytes: secret, token }) => {
    expect(formatApiKey(bytes(secret))).toBe(token);
    expect(isApiKey(token)).toBe(true);
  });

  test.each(refusals)('vector, refused: $name', ({ token }) => {
    expect(isApiKey(token)).toBe(false);
  });

  test('of any 32 bytes is one, and is none once a digit was mistyped', () => {
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

  test('is made from 32 bytes and no other number', () => {
    expect(() => formatApiKey(new Uint8Array(31))).toThrow(InputError);
  });
});
