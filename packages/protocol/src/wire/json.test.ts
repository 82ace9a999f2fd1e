import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import { runs } from '@eaas/test-kit/cases';
import { InputError } from '../errors.ts';
import { readJson } from './json.ts';

const encoder = new TextEncoder();
const read = (text: string): unknown => readJson(encoder.encode(text));

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

  test('of members with the same name, in any spelling, the last one counts', () => {
    const body = '{"a":1,"b":[{"c":1,"\\u0063":2}],"\\u0061":3}';
    expect(read(body)).toEqual({ a: 3, b: [{ c: 2 }] });
  });

  test('a number of several digits counts as one value', () => {
    const list = `[${'1234567890,'.repeat(9_999)}0]`;
    expect(() => read(`[${Array(9).fill(list).join()}]`)).not.toThrow();
  });

  test.each(['x', '\\n', '\\"', '\\\\'])('JSON with a string of 2 MiB of %s is accepted', (unit) => {
    const text = `{"a":"${unit.repeat((2 << 20) / unit.length)}"}`;
    expect(() => read(text)).not.toThrow();
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
    // So many names in two objects count together.
    expect(accepted(`[{${names.slice(9).join()}},{${names.slice(0, 9).join()}}]`)).toBe(ok);
  });

  test('the error about invalid JSON does not quote the body', () => {
    expect(() => read('{"dek":"secret')).toThrow(/^the body is not valid JSON$/);
  });
});
