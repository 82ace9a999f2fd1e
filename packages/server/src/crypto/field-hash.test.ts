import { createSecretKey } from 'node:crypto';
import { InputError } from '@eaas/protocol';
import { expect, test } from 'vitest';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { fieldHash } from './hmac.ts';

const { cases, refusals } = vectors('hash');

test.each(cases)('the fingerprint of a value matches the test vector: $name', ({ hash_key, value, hash }) => {
  expect(fieldHash(createSecretKey(bytes(hash_key)), value)).toBe(hash);
});

test.each(refusals)('the invalid value of the vector is refused: $name', ({ value_json }) => {
  const value = JSON.parse(value_json) as string;
  expect(() => fieldHash(createSecretKey(Buffer.alloc(32)), value)).toThrow(InputError);
});
