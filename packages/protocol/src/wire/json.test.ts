import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import { runs } from '@eaas/test-kit/cases';
import { InputError } from '../errors.ts';
import { finish } from '../steps.ts';
import { readJson } from './json.ts';

const encoder = new TextEncoder();
const read = (text: string): unknown => finish(readJson(encoder.encode(text)));

function accepted(text: string): boolean {
  try {
    read(text);
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('JSON', () => {
  test('reading a body gives the same value as JSON.parse', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: anyCharacter, maxDepth: 6 }), (json) => {
        expect(read(json)).toEqual(JSON.parse(json));
      }),
      { numRuns: runs(100) },
    );
  });

  test('text that JSON.parse refuses is refused', () => {
    const char = fc.constantFrom(...Array.from('{}[]",:\\u0061 t1-.\n'));
    const anyText = fc.array(char, { maxLength: 12 }).map((chars) => chars.join(''));
    fc.assert(
      fc.property(anyText, (text) => {
        expect(accepted(text) && !isJson(text)).toBe(false);
      }),
      { numRuns: runs(5_000) },
    );
  });

  test('JSON with the same name twice in one object is refused, and other JSON is accepted', () => {
    const names = [
      'a',
      '\\u0061',
      'b',
      '',
      '\\"',
      '\\u0022',
      'a:',
      '__proto__',
      '\\u005f_proto__',
      '\\\\',
      '{',
    ];
    const name = fc.constantFrom(...names);
    const value = fc.constantFrom(
      '1',
      '"a"',
      '"\\\\"',
      '":"',
      '{"a":1,"b":[{"a":1}]}',
      '["a","a"]',
      '"{\\"a\\":1"',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 4 }), (members) => {
        const meant = members.map(([spelling]) => String(JSON.parse(`"${spelling}"`)));
        const text = `{${members.map(([spelling, json]) => `"${spelling}" : ${json}`).join(',')}}`;
        expect(accepted(text)).toBe(new Set(meant).size === meant.length);
        expect(accepted(`[{"x":${text}}]`)).toBe(new Set(meant).size === meant.length);
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('a name is the same name in every spelling', () => {
    const names = fc.array(fc.constantFrom(...Array.from('aZ09"\\/\b\f\n\r\té€\u{1f511}')), { maxLength: 8 });
    const ways = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 16, maxLength: 16 });
    const spell = (name: string, chosen: readonly number[]): string =>
      name
        .split('')
        .map((unit, at) => {
          const code = unit.charCodeAt(0).toString(16).padStart(4, '0');
          return [JSON.stringify(unit).slice(1, -1), `\\u${code}`, `\\u${code.toUpperCase()}`][
            chosen[at] ?? 0
          ];
        })
        .join('');
    fc.assert(
      fc.property(names, ways, ways, fc.constantFrom('', 'x'.repeat(40)), (letters, one, other, more) => {
        const name = letters.join('') + more;
        const [first, second] = [spell(name, one), spell(name, other)];
        expect(read(`{"${first}":0}`)).toEqual({ [name]: 0 });
        expect(() => read(`{"${first}":0,"${second}":1}`)).toThrow(
          `the body has the field \`${name}\` twice`,
        );
      }),
      { numRuns: runs(500) },
    );
  });

  test('short names with escapes are read without a JSON.parse for each', () => {
    const names = Array.from({ length: 1_000 }, (_, nth) => `"\\u0061\\n${nth}":0`);
    const parse = vi.spyOn(JSON, 'parse');
    expect(Object.keys(read(`{${names.join()}}`) as object)).toHaveLength(1_000);
    expect(parse).toHaveBeenCalledTimes(1);
  });

  test.each([
    [8, true],
    [9, false],
    [100_000, false],
  ])('JSON with %d nested levels is accepted: %s', (levels, ok) => {
    expect(accepted('['.repeat(levels) + ']'.repeat(levels))).toBe(ok);
    expect(accepted(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)).toBe(ok);
  });

  test('the limit of nesting in JSON counts nested levels, not brackets', () => {
    expect(accepted(`[${Array(100).fill('{"a":[]}').join()}, "[[[[[[[[[["]`)).toBe(true);
  });

  test.each([
    [10_000, true],
    [10_001, false],
  ])('JSON with a list or an object of %i members is accepted: %s', (members, ok) => {
    const names = Array.from({ length: members }, (_, index) => `"${index}":0`);
    expect(accepted(`[${'0,'.repeat(members - 1)}0]`)).toBe(ok);
    expect(accepted(`{${names.join()}}`)).toBe(ok);
    expect(accepted(`[[${'0,'.repeat(9_000)}0],{${names.join()}}]`)).toBe(ok);
  });

  test('a number of several digits counts as one value', () => {
    const list = `[${'1234567890,'.repeat(9_999)}0]`;
    expect(accepted(`[${Array(9).fill(list).join()}]`)).toBe(true);
  });

  test.each(['x', '\\n', '\\"', '\\\\'])('JSON with a string of 2 MiB of %s is accepted', (unit) => {
    const text = `{"a":"${unit.repeat((2 << 20) / unit.length)}"}`;
    expect(accepted(text)).toBe(true);
  });

  test('the error for a duplicate JSON name shows at most 64 characters of the name', () => {
    const long = 'n'.repeat(100);
    expect(() => read(`{"${long}":"secret","${long}":"secret"}`)).toThrow(
      `the body has the field \`${'n'.repeat(64)}\` twice`,
    );
    expect(() => read('{"dek":"secret')).toThrow(/^the body is not valid JSON$/);
  });
});

test.each([
  ['"\\ud83d\\udd11"', true],
  ['"\\ud83d"', false],
  ['{"a":[{"b":"\\udd11"}]}', false],
  ['{"\\ud83d":1}', false],
  ['[1,null,true,{}]', true],
])('the JSON %s is valid Unicode: %s', (json, isValid) => {
  expect(accepted(json)).toBe(isValid);
});
