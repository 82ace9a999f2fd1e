import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '@eaas/test-kit/arbitraries';
import { vectors } from '@eaas/test-kit/vectors';
import { canonicalJson } from './canonical-json.ts';
import { InputError } from './errors.ts';

describe('canonical JSON (RFC 8785)', () => {
  const { canonical_json: cases, canonical_json_refusals: refusals } = vectors('audit-chain');

  test.each(cases)(
    '`canonicalJson` returns the canonical form of the vector: $name',
    ({ json, canonical }) => {
      expect(canonicalJson(JSON.parse(json))).toBe(canonical);
    },
  );

  test.each(refusals)('`canonicalJson` refuses the invalid value of the vector: $name', ({ json }) => {
    expect(() => canonicalJson(JSON.parse(json))).toThrow(InputError);
  });

  test('canonical JSON is its own canonical form', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: anyCharacter }), (json) => {
        const canonical = canonicalJson(JSON.parse(json));
        expect(JSON.parse(canonical)).toEqual(JSON.parse(json));
        expect(canonicalJson(JSON.parse(canonical))).toBe(canonical);
      }),
    );
  });

  test.each([undefined, Number.NaN, 1n, [undefined], Object.assign([], { length: 1 }), { a: undefined }])(
    'values that JSON cannot represent are refused (case %#)',
    (value) => {
      expect(() => canonicalJson(value)).toThrow(InputError);
    },
  );
});
