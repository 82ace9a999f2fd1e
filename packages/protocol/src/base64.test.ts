import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { vectors } from '../../../test/vectors/vectors.ts';
import * as node from './base64.node.ts';
import * as portable from './base64.ts';
import { InputError } from './errors.ts';

const { cases, refusals } = vectors('base64');

/** ES2026's own, as the standard has them: white space, missing padding and bits left over are passed over. */
function encode(this: Uint8Array): string {
  return Buffer.from(this).toString('base64');
}
function decode(text: string, options?: unknown): Uint8Array {
  expect(options).toBeUndefined();
  const dense = text.replaceAll(/[\t\n\f\r ]/g, '');
  if (!/^[A-Za-z0-9+/]*=?=?$/.test(dense)) throw new SyntaxError('not base64');
  return new Uint8Array(Buffer.from(dense, 'base64'));
}

const variants = [
  { name: 'in Node', variant: node },
  { name: 'elsewhere', variant: portable },
  { name: "with the platform's own", variant: portable, platform: { encode, decode } },
];

describe.each(variants)('base64 $name', ({ variant, platform }) => {
  const { fromBase64, isBase64, toBase64 } = variant;

  function decoded(text: string): string {
    try {
      return toBase64(fromBase64(text));
    } catch (error) {
      return error instanceof InputError ? 'refused' : 'another error';
    }
  }

  const places = [
    { object: Uint8Array, name: 'fromBase64', value: platform?.decode },
    { object: Uint8Array.prototype, name: 'toBase64', value: platform?.encode },
  ];
  const before = places.map(({ object, name }) => Object.getOwnPropertyDescriptor(object, name));

  beforeAll(() => {
    for (const { object, name, value } of places)
      Object.defineProperty(object, name, { value, configurable: true, writable: true });
  });

  afterAll(() => {
    for (const [index, { object, name }] of places.entries()) {
      const property = before[index];
      if (property) Object.defineProperty(object, name, property);
      else Reflect.deleteProperty(object, name);
    }
  });

  test.each(cases)('vector: $name', ({ text, hex }) => {
    expect(Buffer.from(fromBase64(text)).toString('hex')).toBe(hex);
    expect(toBase64(Buffer.from(hex, 'hex'))).toBe(text);
  });

  test.each(refusals)('vector, refused: $name', ({ text }) => {
    expect(() => fromBase64(text)).toThrow(InputError);
    expect(isBase64(text)).toBe(false);
  });

  test('spells bytes as Node does, and reads them back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(fromBase64(toBase64(bytes))).toStrictEqual(bytes);
      }),
    );
  });

  test('accepts a text only if its bytes are spelled so', () => {
    const digit = fc.constantFrom(...Array.from('ABCDwxyz0189+/=-_ \n\u0141'));
    const digits = fc.array(digit, { maxLength: 8 }).map((text) => text.join(''));
    const mutated = fc
      .tuple(fc.uint8Array({ maxLength: 12 }), fc.nat(20), fc.nat(2), digits)
      .map(([bytes, at, removed, added]) => {
        const text = toBase64(bytes);
        return text.slice(0, at) + added.slice(0, 2) + text.slice(at + removed);
      });
    fc.assert(
      fc.property(fc.oneof(mutated, digits, fc.string()), (text) => {
        const canonical = Buffer.from(text, 'base64').toString('base64') === text;
        expect(isBase64(text)).toBe(canonical);
        expect(decoded(text)).toBe(canonical ? text : 'refused');
      }),
      { numRuns: 5_000 },
    );
  });

  test('encodes what a view shows', () => {
    expect(toBase64(new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4))).toBe('AQID');
  });

  test('names what is wrong, without its value', () => {
    expect(() => fromBase64('s e c r e t', 'dek')).toThrow(/^dek is not canonical base64 [^s]*standard/);
  });

  test('decodes into memory that nothing else has', () => {
    for (const length of [0, 1, 32, 100, 5_000]) {
      const bytes = fromBase64(toBase64(new Uint8Array(length)));
      expect([bytes.byteOffset, bytes.buffer.byteLength]).toEqual([0, length]);
    }
  });
});
