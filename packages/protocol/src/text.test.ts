import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../test/protocol/arbitraries.ts';
import { InputError } from './errors.ts';
import { fromUtf8, hasControlCharacter, toUtf8, utf8Length } from './text.ts';

test('text with NUL or a leading byte order mark is unchanged after UTF-8 encoding and decoding', () => {
  const anyText = fc.string({ unit: anyCharacter });
  fc.assert(
    fc.property(fc.oneof(anyText, fc.constant('\ufeff\0')), (text) => {
      expect(fromUtf8(toUtf8(text))).toBe(text);
      expect(utf8Length(text)).toBe(toUtf8(text).length);
    }),
  );
});

test.each(['\ud83d', 'a\udd11', '\udd11\ud83d'])(
  'UTF-8 encoding refuses text with a lone surrogate (case %#)',
  (text) => {
    expect(() => toUtf8(text)).toThrow(InputError);
  },
);

test('UTF-8 decoding refuses invalid bytes instead of replacing them', () => {
  expect(() => fromUtf8(Uint8Array.of(0xff))).toThrow(TypeError);
  expect(() => fromUtf8(Uint8Array.of(0xed, 0xa0, 0x80))).toThrow(TypeError);
});

test('exactly the characters of the Unicode category Cc count as control characters', () => {
  for (const char of '\0\t\n\u007f\u0085\u009f') expect(hasControlCharacter(`a${char}b`)).toBe(true);
  for (const char of ' \u00a0\u200b\u2028\ufeff') expect(hasControlCharacter(`a${char}b`)).toBe(false);
});
