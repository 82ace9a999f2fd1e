import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import { runs } from '@eaas/test-kit/cases';
import { vectors } from '@eaas/test-kit/vectors';
import { attempt } from './bytes.ts';
import { additionalData, type Context, encodeContext } from './context.ts';
import { contextsWith } from './row-context.ts';
import { InputError } from './errors.ts';
import { pae } from './pae.ts';

describe('the bytes of a context', () => {
  const { cases, refusals } = vectors('context');

  test.each(cases)('the encoded context matches the vector: $name', ({ json, encoded }) => {
    const context = (JSON.parse(json) ?? undefined) as Context | undefined;
    expect(Buffer.from(encodeContext(context)).toString('base64')).toBe(encoded);
  });

  test.each(refusals)('the invalid context of the vector is refused: $name', ({ json }) => {
    expect(() => encodeContext(JSON.parse(json) as Context)).toThrow(InputError);
  });

  test.each([new Map([['table', 'patients']]), new URLSearchParams('table=patients'), new Date()])(
    'an object that is not plain is refused as a context, also after one with the same members: %s',
    (value) => {
      encodeContext({ ...(value as object) });
      expect(() => encodeContext(value as unknown as Context)).toThrow(InputError);
    },
  );

  test('a context that takes more than 4,096 bytes when encoded is refused', () => {
    const room = 4_096 - 4 - (4 + 1) - 4;
    expect(encodeContext({ a: 'x'.repeat(room) })).toHaveLength(4_096);
    expect(encodeContext({ a: '\u20ac'.repeat(room / 3) })).toHaveLength(4_096 - (room % 3));
    for (const text of ['x'.repeat(room + 1), '\u20ac'.repeat(room / 3 + 1), 'x'.repeat(100_000)]) {
      expect(() => encodeContext({ a: text })).toThrow('context must have at most 4096 bytes when encoded');
    }
  });

  test('the encoding of a context is correct after failed calls and calls with other contexts', () => {
    for (let row = 0; row < 100; row++) {
      const name = 'n'.repeat(1 + (row % 7));
      const context = { [name]: String(row) };
      encodeContext(context);
      expect(() => encodeContext({ a: 'written', [`b${row}`]: '\0' })).toThrow(InputError);
      const behind = additionalData([row, 255], context);
      expect(behind).toEqual(Uint8Array.of(row, 255, ...pae(name, String(row))));
    }
  });

  test.each([{ b: undefined }, { constructor: Object }, { a: 1 }, Object.create({ a: '1' })])(
    'an invalid context is refused after a valid context with as many members: %o',
    (context) => {
      encodeContext({ a: '1' });
      expect(() => encodeContext(context as Context)).toThrow(InputError);
    },
  );

  test('the encoding of a context does not depend on the context that was encoded before', () => {
    const small = fc.dictionary(fc.constantFrom('a', 'ab', 'abc', 'b'), fc.constantFrom('', '1', '2'));
    fc.assert(
      fc.property(small, small, (before, context) => {
        encodeContext(before);
        const sorted = Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1));
        expect(encodeContext(context)).toEqual(pae(...sorted.flat()));
      }),
    );
  });

  test('a context can have a name of 128 bytes', () => {
    const name = 'n'.repeat(128);
    expect(encodeContext({ [name]: '' })).toEqual(pae(name, ''));
  });

  test('each encoded context has separate memory', () => {
    const bytes = encodeContext({ a: 'b' });
    encodeContext({ c: 'd' });
    expect(bytes).toEqual(pae('a', 'b'));
    expect(bytes.buffer.byteLength).toBe(14);
  });
});

test('the contexts of a column are encoded like any other, for every value', () => {
  const inRow = contextsWith({ table: 'patients', field: 'näme' }, 'row');
  const values = fc.oneof(
    fc.string({ maxLength: 70 }),
    fc.uuid(),
    fc.string({ unit: anyCharacter, maxLength: 70 }),
  );
  fc.assert(
    fc.property(values, values, (one, other) => {
      for (const row of [one, other, one]) {
        const plain = { table: 'patients', field: 'näme', row };
        const expected = attempt(() => encodeContext(plain));
        expect(attempt(() => encodeContext(inRow(row)))).toEqual(expected);
        expect({ ...inRow(row) }).toEqual(plain);
      }
    }),
    { numRuns: runs(300) },
  );
});

test('the context of a row keeps its encoding, also after a change of its members', () => {
  const context = contextsWith({ table: 'patients' }, 'row')('7');
  const before = encodeContext(context);
  Object.assign(context, { row: '8' });
  encodeContext({ table: 'others' });
  expect(encodeContext(context)).toEqual(before);
  expect(encodeContext({ table: 'patients', row: '8' })).not.toEqual(before);
});

test('a column whose names are invalid or too long is refused at once', () => {
  expect(() => contextsWith({ table: ''.padEnd(4_090, 'x') }, 'row')).toThrow('4096 bytes');
  expect(() => contextsWith({ table: 'a\u0000' }, 'row')).toThrow('control characters');
});
