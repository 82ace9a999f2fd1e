import { describe, expect, test } from 'vitest';
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

  test.each([undefined, Number.NaN, 1n, [undefined], Object.assign([], { length: 1 }), { a: undefined }])(
    'values that JSON cannot represent are refused (case %#)',
    (value) => {
      expect(() => canonicalJson(value)).toThrow(InputError);
    },
  );
});
