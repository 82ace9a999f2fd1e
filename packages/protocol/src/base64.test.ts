import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { vectors } from '@eaas/test-kit/vectors';
import { fromBase64, isBase64, toBase64 } from './base64.ts';
import * as node from './platform.node.ts';
import * as portable from './base64-portable.ts';
import { InputError } from './errors.ts';

const { cases, refusals } = vectors('base64');

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
  { name: 'in other runtimes', variant: portable },
  { name: 'in runtimes with Uint8Array.fromBase64', variant: portable, platform: { encode, decode } },
];

describe.each(variants)('base64 $name', ({ variant, platform }) => {
  const { toBase64: encoded, viewBase64: decoded } = variant;

  const places = [
    { object: Uint8Array, name: 'fromBase64', value: platform?.decode },
    { object: Uint8Array.prototype, name: 'toBase64', value: platform?.encode },
  ];
  const before = places.map(({ object, name }) => Object.getOwnPropertyDescriptor(object, name));

  beforeAll(() => {
    for (const { object, name, value } of places) {
      Object.defineProperty(object, name, { value, configurable: true, writable: true });
    }
  });

  afterAll(() => {
    for (const [index, { object, name }] of places.entries()) {
      const property = before[index];
      if (property) Object.defineProperty(object, name, property);
      else Reflect.deleteProperty(object, name);
    }
  });

  test.each(cases)('base64 encodes and decodes the bytes of the test vector: $name', ({ text, hex }) => {
    expect(Buffer.from(decoded(text) ?? []).toString('hex')).toBe(hex);
    expect(encoded(Buffer.from(hex, 'hex'))).toBe(text);
  });

  test.each(refusals)('base64 decoding refuses the invalid text of the test vector: $name', ({ text }) => {
    expect(decoded(text)).toBeUndefined();
  });

  test('portable base64 equals the base64 of Node', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(encoded(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(decoded(encoded(bytes))).toStrictEqual(bytes);
      }),
    );
  });

  test('text that is not canonical base64 is refused', () => {
    const digit = fc.constantFrom(...Array.from('ABCDwxyz0189+/=-_ \n\u0141'));
    const digits = fc.array(digit, { maxLength: 8 }).map((text) => text.join(''));
    const mutated = fc
      .tuple(fc.uint8Array({ maxLength: 12 }), fc.nat(20), fc.nat(2), digits)
      .map(([bytes, at, removed, added]) => {
        const text = encoded(bytes);
        return text.slice(0, at) + added.slice(0, 2) + text.slice(at + removed);
      });
    fc.assert(
      fc.property(fc.oneof(mutated, digits, fc.string()), (text) => {
        const canonical = Buffer.from(text, 'base64').toString('base64') === text;
        const bytes = decoded(text);
        expect(bytes && encoded(bytes)).toBe(canonical ? text : undefined);
      }),
      { numRuns: runs(5_000) },
    );
  });
});

describe('base64', () => {
  test.each(cases)('base64 encodes and decodes the bytes of the vector: $name', ({ text, hex }) => {
    expect(Buffer.from(fromBase64(text)).toString('hex')).toBe(hex);
    expect(isBase64(text)).toBe(true);
  });

  test.each(refusals)('base64 decoding refuses the invalid text of the vector: $name', ({ text }) => {
    expect(() => fromBase64(text)).toThrow(InputError);
    expect(isBase64(text)).toBe(false);
  });

  test('the error for invalid base64 contains the name of the value, but not the value', () => {
    expect(() => fromBase64('s e c r e t', 'dek')).toThrow(/^dek is not canonical base64 [^s]*standard/);
  });

  test('decoded bytes do not share their ArrayBuffer with other data', () => {
    for (const length of [0, 1, 32, 100, 5_000]) {
      const bytes = fromBase64(toBase64(new Uint8Array(length)));
      expect([bytes.byteOffset, bytes.buffer.byteLength]).toEqual([0, length]);
    }
  });
});
