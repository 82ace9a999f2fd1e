import { x25519 as noble } from '@noble/curves/ed25519.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { fromHex, toHex } from '../bytes.ts';
import { x25519 } from './x25519.ts';

test('X25519 returns the results of RFC 7748, section 5.2', () => {
  const first = x25519(
    fromHex('a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4'),
    fromHex('e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c'),
  );
  expect(toHex(first)).toBe('c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552');
  const second = x25519(
    fromHex('4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d'),
    fromHex('e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493'),
  );
  expect(toHex(second)).toBe('95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957');
});

test('X25519 returns the same result as the `x25519` of noble for any scalar and any point', () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(bytes, bytes, (scalar, point) => {
      expect(x25519(scalar, point)).toEqual(noble.getSharedSecret(scalar, point));
    }),
    { numRuns: runs(100) },
  );
});

test.each([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
])('X25519 throws for the point %s of low order', (point) => {
  expect(() => x25519(new Uint8Array(32).fill(7), fromHex(point))).toThrow(/invalid/);
});
