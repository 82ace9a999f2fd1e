import { runInNewContext } from 'node:vm';
import { FormatError, InputError } from '@eaas/protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import {
  bigintType,
  booleanType,
  bytesType,
  dateType,
  jsonType,
  numberType,
  textType,
  type ValueType,
} from './value-types.ts';

const types = { textType, numberType, bigintType, booleanType, dateType, bytesType, jsonType };
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const ofHex = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
function valueIn(type: ValueType<unknown>, bytes: Uint8Array): unknown {
  try {
    return type.decode(bytes);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const plainJson = fc.letrec((again) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    finite,
    fc.string({ unit: anyCharacter }),
    fc.array(again('value')),
    fc.array(fc.tuple(fc.string(), again('value'))).map((members) => Object.fromEntries(members)),
  ),
})).value;

const cases: readonly [ValueType<unknown>, fc.Arbitrary<unknown>][] = [
  [textType, fc.string({ unit: anyCharacter }).filter((text) => text.isWellFormed())],
  [numberType, fc.double()],
  [bigintType, fc.bigInt()],
  [booleanType, fc.boolean()],
  [dateType, fc.date({ noInvalidDate: true })],
  [bytesType, fc.uint8Array()],
  [jsonType, plainJson],
];

const named = cases.map(([type, values]) => ({ name: type.name, type, values }));

describe.each(named)('$name', ({ type, values }) => {
  test('a value type encodes and decodes a value without loss', () => {
    fc.assert(
      fc.property(values, (value) => {
        const back: unknown = type.decode(type.encode(value));
        expect(Object.is(back, value) || typeof value === 'object').toBe(true);
        expect(back).toStrictEqual(value);
      }),
    );
  });

  test('decoding throws for a value that was encoded with another type', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(...Object.values(types)), (value, other) => {
        fc.pre(other.name !== type.name);
        const bytes = type.encode(value);
        expect(() => other.decode(bytes)).toThrow(
          `the field has the type ${other.name}, but the stored value has the type ${type.name}`,
        );
      }),
    );
  });

  test('each value has exactly one encoding', () => {
    const marked = fc
      .tuple(fc.integer({ min: 0xf8, max: 0xfd }), fc.uint8Array({ maxLength: 12 }))
      .map(([mark, rest]) => Uint8Array.of(mark, ...rest));
    const oneSpelling = fc.property(fc.oneof(marked, fc.uint8Array()), (bytes) => {
      const value = valueIn(type, bytes);
      if (value === undefined || type.name === 'json' || Number.isNaN(value)) return true;
      return hexOf(type.encode(value)) === hexOf(bytes);
    });
    expect(fc.check(oneSpelling).counterexample).toBeNull();
  });
});

test.each([
  ['no sign', bigintType, 'f9'],
  ['a sign without a number', bigintType, 'f901'],
  ['a leading zero', bigintType, 'f90000ff'],
  ['another number than 0 and 1', booleanType, 'fa02'],
  ['a millisecond after the last Date', dateType, 'fb001eb208c2dc0001'],
  ['too few bytes', numberType, 'f800'],
  ['a text that is no JSON', jsonType, `fd${Buffer.from('secret').toString('hex')}`],
])('bytes with %s throw an error that does not quote them', (_, type: ValueType<unknown>, hex) => {
  const message = `the stored value has the type ${type.name}, but its bytes are not a valid ${type.name}`;
  // Compares the whole error, with its cause.
  expect(() => type.decode(ofHex(hex))).toThrow(new FormatError(message));
});

test.each<[ValueType<unknown>, ...unknown[]]>([
  [textType, 'lone \ud800', 5, new String('text')], // oxlint-disable-line no-new-wrappers
  [numberType, '5', 5n],
  [bigintType, 5],
  [booleanType, 1, 'true'],
  [dateType, new Date(Number.NaN), '2026-01-01', 0],
  [bytesType, [1, 2], new ArrayBuffer(2), 'bytes'],
])('encoding a value of another type throws (case %#)', (type, ...values) => {
  for (const value of values) expect(() => type.encode(value)).toThrow(InputError);
});

test('a Date from another realm is encoded and decoded, such as a Date from `fs.stat` in Jest', () => {
  const foreign = runInNewContext('new Date(86_400_000)') as Date;
  expect(foreign).not.toBeInstanceOf(Date);
  expect(dateType.decode(dateType.encode(foreign))).toEqual(new Date(86_400_000));
});
