import { sha256 } from '@noble/hashes/sha2.js';
import { expect, test } from 'vitest';
import { some } from '@eaas/test-kit/cases';
import { vectors } from '@eaas/test-kit/vectors';
import { toHex } from '../bytes.ts';
import { InputError } from '../errors.ts';
import { formatPublicKey, parsePublicKey } from './public-key.ts';

const { key_id: keyId, cases } = vectors('intake');
const text = cases[0]?.public_key_token ?? '';
const { bytes } = parsePublicKey(text);

const places = some(
  80,
  Array.from(text, (_, at) => at),
);

function withChecksum(front: string): string {
  return `${front}.${toHex(sha256(new TextEncoder().encode(front)).subarray(0, 8))}`;
}

const withBytes = (changed: Uint8Array): string =>
  withChecksum(`eaas_pk_1.${keyId}.1.${Buffer.from(changed).toString('base64')}`);

const withVersion = (version: string): string =>
  withChecksum(`eaas_pk_1.${keyId}.${version}.${Buffer.from(bytes).toString('base64')}`);

/** Returns the public key with one of its coefficients replaced. A coefficient has 12 bits. */
function withCoefficient(index: number, value: number): Uint8Array {
  const changed = bytes.slice();
  const at = Math.floor(index / 2) * 3;
  const [a = 0, b = 0, c = 0] = changed.subarray(at);
  changed.set(
    index % 2 === 0
      ? [value & 0xff, (b & 0xf0) | (value >> 8), c]
      : [a, (b & 0x0f) | ((value & 0x0f) << 4), value >> 4],
    at,
  );
  return changed;
}

test('the public key of the vector is parsed, and formatting returns the same text', () => {
  const parsed = parsePublicKey(text);
  expect(parsed).toMatchObject({ keyId, keyVersion: 1 });
  expect(formatPublicKey(parsed)).toBe(text);
  expect(withBytes(bytes)).toBe(text);
});

test('the largest version is 2^32 - 1', () => {
  expect(parsePublicKey(withVersion('4294967295')).keyVersion).toBe(2 ** 32 - 1);
  expect(() => parsePublicKey(withVersion('4294967296'))).toThrow(InputError);
});

test('a text with one changed, removed or added character throws InputError', () => {
  for (const at of places) {
    const [before, after] = [text.slice(0, at), text.slice(at + 1)];
    const others = [text[at] === 'A' ? 'B' : 'A', text[at] === '1' ? '2' : '1', ''];
    const added = ['A', '1', ' ', '\n', '.'].map((character) => `${character}${text[at]}`);
    for (const instead of [...others, ...added]) {
      expect(() => parsePublicKey(before + instead + after)).toThrow(InputError);
    }
  }
  for (const behind of ['A', ' ', '\n']) expect(() => parsePublicKey(text + behind)).toThrow(InputError);
});

test.each(['0', '01', '1e3'])('a public key with the version %j throws InputError', (version) => {
  expect(() => parsePublicKey(withVersion(version))).toThrow(InputError);
});

test.each([
  ['1,217 bytes', withBytes(Uint8Array.of(...bytes, 0))],
  ['an upper-case UUID', withChecksum(text.slice(0, -17).replace(keyId, `ABCDEF00${keyId.slice(8)}`))],
  ['base64 without padding', withChecksum(text.slice(0, -17).replaceAll('=', ''))],
  ['base64 with bits in the padding', withChecksum(text.slice(0, -17).replace(/.==$/, 'B=='))],
  ['the URL alphabet', withChecksum(text.slice(0, -17).replaceAll('+', '-').replaceAll('/', '_'))],
])('%s with a valid checksum throws InputError', (_, changed) => {
  expect(changed).not.toBe(text);
  expect(() => parsePublicKey(changed)).toThrow(InputError);
});

test.each([0, 1, 2, 383, 766, 767])('the coefficient %i must be less than 3,329', (index) => {
  expect(parsePublicKey(withBytes(withCoefficient(index, 3_328)))).toBeDefined();
  for (const value of [3_329, 3_330, 4_095]) {
    expect(() => parsePublicKey(withBytes(withCoefficient(index, value)))).toThrow(/coefficient/);
  }
});

test('the last 32 bytes of the ML-KEM key can have any value', () => {
  const changed = bytes.slice().fill(0xff, 1_152, 1_184);
  expect(parsePublicKey(withBytes(changed)).bytes).toEqual(changed);
});

test.each([undefined, null, 7, {}])('%j throws InputError', (value) => {
  expect(() => Reflect.apply(parsePublicKey, undefined, [value])).toThrow(InputError);
});
