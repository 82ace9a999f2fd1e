import { isUtf8 } from 'node:buffer';
import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { bytes, vectors } from '../../../../test/vectors/vectors.ts';
import { openSecret, sealSecret } from './sealed-secret.ts';
import { openBundle } from './server-mode.ts';

const { tenant_id: tenantId, key_version_secret, cases, accepted_changes, refusals } = vectors('envelope-v1');
const K = '00000000-0000-4000-8000-000000000002';
const key = createSecretKey(bytes(key_version_secret));
const placeOf = (keyId: string, version: number) => ({ purpose: 'dek', tenantId, keyId, version }) as const;

/** Opens with a wrapped key beside the ciphertext, of which the vector says what it unwraps to. */
function openWithDek(vector: (typeof refusals)[number] | (typeof accepted_changes)[number]) {
  const wrappedKey = sealSecret(key, placeOf(K, 1), bytes(vector.dek));
  const keyId = vector.expected_key_id ?? K;
  const presented = { ciphertext: bytes(vector.ciphertext), keyId, keyVersion: 1, wrappedKey };
  const unwrap = (wrapped: Uint8Array) => openSecret(key, placeOf(K, 1), wrapped);
  return openBundle(presented, unwrap, vector.context ?? undefined);
}

test.each(cases)('vector: $name', ({ key_id: keyId, key_version: keyVersion, ...vector }) => {
  const presented = { ciphertext: bytes(vector.ciphertext), keyId, keyVersion };
  const unwrap = (wrapped: Uint8Array) => openSecret(key, placeOf(keyId, keyVersion), wrapped);
  const found = openBundle(presented, unwrap, vector.context ?? undefined);
  const plaintext = bytes(vector.plaintext);
  // The service answers with text, and unwraps what it wrapped.
  const opens = isUtf8(plaintext) && bytes(vector.wrapped_key).length === 78;
  expect(found).toEqual(opens ? plaintext : undefined);
});

test.each(accepted_changes)('vector: accepts $name', (vector) => {
  expect(openWithDek(vector)).toEqual(bytes(vector.plaintext));
});

test.each(refusals)('vector: refuses $name', (vector) => {
  expect(openWithDek(vector)).toBeUndefined();
});
