import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import { InputError } from './errors.ts';
import { escapeHidden, fromUtf8, hasControlCharacter, inLine, toUtf8, utf8Length } from './text.ts';

test('text with NUL or a leading byte order mark is unchanged after UTF-8 encoding and decoding', () => {
  const anyText = fc.string({ unit: anyCharacter });
  fc.assert(
    fc.property(fc.oneof(anyText, fc.constant('\ufeff\0')), (text) => {
      expect(fromUtf8(toUtf8(text))).toBe(text);
      expect(utf8Length(text)).toBe(toUtf8(text).length);
    }),
  );
});

test.each(['\u007f', '\u0080', '\u07ff', '\u0800', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'])(
  'the UTF-8 length of a character at a limit of the encoding is correct: %j',
  (character) => {
    expect(utf8Length(character)).toBe(toUtf8(character).length);
  },
);

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

test.each([
  ['patients', 'patients'],
  ['', '""'],
  ['a  b', '"a \\u0020b"'],
  ['"patients "', '"\\"patients \\""'],
  ['\u202estneitap', '"\\u202estneitap"'],
  ['\u2066a\u2069\u2028\u3164\u2800', '"\\u2066a\\u2069\\u2028\\u3164\\u2800"'],
  ['a\nb\u009b', '"a\\nb\\u009b"'],
])('%j is shown as %s in a line of output', (text, shown) => {
  expect(inLine(text)).toBe(shown);
});

test('in a line of output, different texts have different forms without hidden characters', () => {
  const anyText = fc.string({
    unit: fc.oneof(anyCharacter, fc.constantFrom(' ', '"', '\u202e', '\u200b', '\n')),
  });
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = inLine(text);
      expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]| {2}|^ | $|^$/u);
      expect(shown.startsWith('"') ? JSON.parse(shown) : shown).toBe(text);
    }),
  );
});

test('escaped hidden characters leave the value of the JSON unchanged', () => {
  const value = { 'name\u202e': 'a\u200b \u0085', list: [' ', '  '] };
  for (const indent of [0, 2]) {
    const json = escapeHidden(JSON.stringify(value, null, indent));
    expect(JSON.parse(json)).toEqual(value);
    expect(json).toMatch(/^[\n\x20-\x7e]*$/);
  }
});
