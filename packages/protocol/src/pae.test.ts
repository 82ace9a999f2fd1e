import { describe, expect, test } from 'vitest';
import { vectors } from '@eaas/test-kit/vectors';
import { InputError } from './errors.ts';
import { pae, type PaePart } from './pae.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('pae', () => {
  test.each(vectors('pae').cases)(
    'the encoding of the parts matches the vector: $name',
    ({ parts, encoded }) => {
      const given = parts.map((part): PaePart => {
        if ('text' in part) return part.text;
        if ('hex' in part) return Buffer.from(part.hex, 'hex');
        return 'integer' in part ? part.integer : null;
      });
      expect(hex(pae(...given))).toBe(encoded);
    },
  );

  test.each([1.5, Number.NaN, Infinity, 2 ** 53])(
    'a pre-authentication encoding refuses the number %d, which is not a safe integer',
    (number) => {
      expect(() => pae(number)).toThrow(InputError);
    },
  );

  test('a pre-authentication encoding refuses text with a lone surrogate', () => {
    expect(() => pae('\ud800')).toThrow(InputError);
  });
});
