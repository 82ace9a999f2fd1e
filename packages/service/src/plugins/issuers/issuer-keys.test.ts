import { expect, test } from 'vitest';
import { keyFault } from '@eaas/protocol/internal-service';

const coordinate = (first: number) => Buffer.alloc(32, 7).fill(first, 0, 1).toString('base64url');

test('a coordinate of a key may begin with a zero byte, as one in 256 does', () => {
  const [zero, other] = [coordinate(0), coordinate(9)];
  for (const [x, y] of [
    [zero, other],
    [other, zero],
  ] as const) {
    expect(keyFault({ kty: 'EC', crv: 'P-256', x, y })).toBeUndefined();
  }
  expect(keyFault({ kty: 'OKP', crv: 'Ed25519', x: zero })).toBeUndefined();
  const short = Buffer.alloc(31, 7).toString('base64url');
  expect(keyFault({ kty: 'EC', crv: 'P-256', x: short, y: other })).toMatch(/`x` that is not 32 bytes/);
});

test('a modulus with a leading zero byte is refused', () => {
  const modulus = (length: number) => Buffer.alloc(length, 7).toString('base64url');
  const leading = Buffer.concat([Buffer.alloc(1), Buffer.alloc(256, 0xff)]).toString('base64url');
  expect(keyFault({ kty: 'RSA', n: modulus(257), e: 'AQAB' })).toBeUndefined();
  expect(keyFault({ kty: 'RSA', n: leading, e: 'AQAB' })).toMatch(/modulus/);
});

const rsa = (bytes: number, e: string) => ({
  kty: 'RSA',
  n: Buffer.alloc(bytes, 0xff).toString('base64url'),
  e,
});

test.each([
  ['1', 'AQ'],
  ['2^32 + 1', 'AQAAAAE'],
  ['65537 with a zero byte', 'AAEAAQ'],
  ['none', ''],
])('the exponent %s is refused', (_, e) => {
  expect(keyFault(rsa(256, e))).toMatch(/exponent 3 or 65537/);
});
