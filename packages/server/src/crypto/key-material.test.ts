import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newHashKey, newKeyVersion, openHashKey, openKeyVersion } from './key-material.ts';

const T = '00000000-0000-4000-8000-000000000001';
const K = '00000000-0000-4000-8000-000000000002';
const sealing = createSecretKey(randomBytes(32));

test('a key version opens as itself alone, and is made anew each time', () => {
  const sealed = newKeyVersion(sealing, T, K, 2);
  const key = openKeyVersion(sealing, T, K, 2, sealed);
  expect(key?.export()).toHaveLength(32);
  expect(openKeyVersion(sealing, T, K, 2, sealed)?.equals(key ?? sealing)).toBe(true);
  expect(openKeyVersion(sealing, T, K, 2, newKeyVersion(sealing, T, K, 2))?.export()).not.toEqual(
    key?.export(),
  );
  expect(openKeyVersion(sealing, T, K, 1, sealed)).toBeUndefined();
  expect(openKeyVersion(sealing, T, T, 2, sealed)).toBeUndefined();
  expect(openKeyVersion(sealing, K, K, 2, sealed)).toBeUndefined();
  expect(openKeyVersion(createSecretKey(randomBytes(32)), T, K, 2, sealed)).toBeUndefined();
});

test('a hash key and a key version do not open in place of each other', () => {
  const sealed = newHashKey(sealing, T, K);
  expect(openHashKey(sealing, T, K, sealed)?.export()).toHaveLength(32);
  expect(openKeyVersion(sealing, T, K, 0, sealed)).toBeUndefined();
  expect(openHashKey(sealing, T, K, newKeyVersion(sealing, T, K, 0))).toBeUndefined();
});

test('nothing is left of an erased key', () => {
  expect(openKeyVersion(sealing, T, K, 1, new Uint8Array(0))).toBeUndefined();
  expect(openHashKey(sealing, T, K, new Uint8Array(0))).toBeUndefined();
});
