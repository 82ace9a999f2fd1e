import { InputError, pae, type PaePart } from '@eaas/protocol';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import { runs } from '@eaas/test-kit/cases';
import { paeView } from './hmac.ts';

const anyPart: fc.Arbitrary<PaePart> = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: 'binary-ascii' }),
  fc.maxSafeInteger(),
  fc.uint8Array(),
  fc.constant(null),
);

test('paeView returns the same bytes as pae for any list of parts', () => {
  fc.assert(
    fc.property(fc.array(anyPart), (parts) => {
      expect(Buffer.compare(paeView(parts), pae(...parts))).toBe(0);
    }),
    { numRuns: runs(1_000) },
  );
});

test.each([21_000, 21_842, 21_843, 65_526, 65_527, 65_528, 65_536, 200_000])(
  'paeView returns the same bytes as pae for a part of %d characters',
  (length) => {
    for (const part of ['x'.repeat(length), '\uffff'.repeat(length), new Uint8Array(length).fill(7)]) {
      expect(Buffer.compare(paeView(['a', part, 1]), pae('a', part, 1))).toBe(0);
    }
  },
);

test('paeView refuses lone surrogates and numbers that are not integers, as pae does', () => {
  for (const part of ['\ud800', 'a\udfff', 1.5, Number.NaN, Infinity, 2 ** 53]) {
    expect(() => pae(part)).toThrow(InputError);
    expect(() => paeView([part])).toThrow(InputError);
  }
});
