import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashKeyPlace, newMaterial, openMaterial, versionPlace } from './key-hierarchy.ts';

const T = '00000000-0000-4000-8000-000000000001';
const K = '00000000-0000-4000-8000-000000000002';
const sealing = createSecretKey(randomBytes(32));
const [place, hashPlace] = [versionPlace(T, K, 2), hashKeyPlace(T, K)];

test('the secret of a key version decrypts only for its tenant, key and version', () => {
  const sealed = newMaterial(sealing, place);
  const key = openMaterial(sealing, place, sealed);
  expect(key?.export()).toHaveLength(32);
  expect(openMaterial(sealing, place, sealed)?.equals(key ?? sealing)).toBe(true);
  const another = openMaterial(sealing, place, newMaterial(sealing, place));
  expect(another?.export()).not.toEqual(key?.export());
  expect(openMaterial(sealing, versionPlace(T, K, 1), sealed)).toBeUndefined();
  expect(openMaterial(sealing, versionPlace(T, T, 2), sealed)).toBeUndefined();
  expect(openMaterial(sealing, versionPlace(K, K, 2), sealed)).toBeUndefined();
  expect(openMaterial(createSecretKey(randomBytes(32)), place, sealed)).toBeUndefined();
});

test('an encrypted hash key and an encrypted key version are not interchangeable', () => {
  const sealed = newMaterial(sealing, hashPlace);
  expect(openMaterial(sealing, hashPlace, sealed)?.export()).toHaveLength(32);
  expect(openMaterial(sealing, versionPlace(T, K, 0), sealed)).toBeUndefined();
  expect(openMaterial(sealing, hashPlace, newMaterial(sealing, versionPlace(T, K, 0)))).toBeUndefined();
});

test('the secret of an erased key version cannot be decrypted', () => {
  expect(openMaterial(sealing, place, new Uint8Array(0))).toBeUndefined();
  expect(openMaterial(sealing, hashPlace, new Uint8Array(0))).toBeUndefined();
});
