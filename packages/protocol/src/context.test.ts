import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyContext } from '../../../test/protocol/arbitraries.ts';
import { vectors } from '../../../test/vectors/vectors.ts';
import { type Context, encodeContext } from './context.ts';
import { InputError } from './errors.ts';

describe('the bytes of a context', () => {
  const { cases, refusals } = vectors('context');

  test.each(cases)('vector: $name', ({ json, encoded }) => {
    const context = (JSON.parse(json) ?? undefined) as Context | undefined;
    expect(Buffer.from(encodeContext(context)).toString('base64')).toBe(encoded);
  });

  test.each(refusals)('vector, refused: $name', ({ json }) => {
    expect(() => encodeContext(JSON.parse(json) as Context)).toThrow(InputError);
  });

  test('do not depend on the order in which the names are given', () => {
    fc.assert(
      fc.property(anyContext, (context) => {
        const reversed = Object.fromEntries(Object.entries(context ?? {}).toReversed());
        expect(encodeContext(reversed)).toEqual(encodeContext(context));
      }),
    );
  });

  test.each([new Map([['table', 'patients']]), new URLSearchParams('table=patients'), new Date()])(
    'are not taken from %s, whose names nobody would authenticate',
    (value) => {
      expect(() => encodeContext(value as unknown as Context)).toThrow(InputError);
    },
  );

  test('are refused before any work where there are too many names', () => {
    const names = Array.from({ length: 300_000 }, (_, index) => [`name ${index}`, '']);
    expect(() => encodeContext(Object.fromEntries(names) as Context)).toThrow(
      'context takes more than the 4096 bytes that are allowed',
    );
  });
});
