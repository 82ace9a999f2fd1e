import { isUtf8 } from 'node:buffer';
import { createSecretKey } from 'node:crypto';
import type { Context } from '@eaas/protocol';
import { nodeEngine } from '@eaas/protocol/node';
import { openBundle, type PresentedBundle } from '@eaas/protocol/service';
import { expect, test } from 'vitest';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { openSecret, sealedVersion, sealSecret } from './sealed-secret.ts';

const { tenant_id: tenantId, key_version_secret, cases, accepted_changes, refusals } = vectors('envelope-v1');
const K = '00000000-0000-4000-8000-000000000002';
const key = createSecretKey(bytes(key_version_secret));
const placeOf = (keyId: string, version: number) => ({ purpose: 'dek', tenantId, keyId, version }) as const;

const textOf = (plaintext: Uint8Array) => Buffer.from(plaintext).toString();

const openBy = (
  presented: PresentedBundle,
  unwrap: (wrapped: Uint8Array) => Uint8Array | undefined,
  context?: Context,
) => openBundle({ versionOf: sealedVersion, unwrap }, nodeEngine, presented, context);

function openWithDek(vector: (typeof refusals)[number] | (typeof accepted_changes)[number]) {
  const wrappedKey = sealSecret(key, placeOf(K, 1), bytes(vector.dek));
  const keyId = vector.expected_key_id ?? K;
  const presented = { ciphertext: bytes(vector.ciphertext), keyId, keyVersion: 1, wrappedKey };
  const unwrap = (wrapped: Uint8Array) => openSecret(key, placeOf(K, 1), wrapped);
  return openBy(presented, unwrap, vector.context ?? undefined);
}

test.each(cases)(
  'the bundle matches the vector: $name',
  ({ key_id: keyId, key_version: keyVersion, ...vector }) => {
    const presented = { ciphertext: bytes(vector.ciphertext), keyId, keyVersion };
    const unwrap = (wrapped: Uint8Array) => openSecret(key, placeOf(keyId, keyVersion), wrapped);
    const found = openBy(presented, unwrap, vector.context ?? undefined);
    const plaintext = bytes(vector.plaintext);
    // The server decrypts only bundles whose plaintext is text and whose data key was wrapped by the service.
    const opens = isUtf8(plaintext) && bytes(vector.wrapped_key).length === 78;
    expect(found).toBe(opens ? textOf(plaintext) : undefined);
  },
);

test.each(accepted_changes)('a bundle with a permitted change is accepted: $name', (vector) => {
  expect(openWithDek(vector)).toBe(textOf(bytes(vector.plaintext)));
});

test.each(refusals)('the invalid bundle of the vector is refused: $name', (vector) => {
  expect(openWithDek(vector)).toBeUndefined();
});
