import { createHash, createSecretKey } from 'node:crypto';
import { formatPublicKey, openForIntake } from '@eaas/protocol/internal-intake';
import { describe, expect, test } from 'vitest';
import { bytes, vectors } from '../../../../test/vectors/vectors.ts';
import { intakeCrypto, openIntakeKey } from './intake.ts';

const { tenant_id, key_id: keyId, cases, refusals } = vectors('intake');

describe.each(cases)('the vector $name', (vector) => {
  const place = { keyId, keyVersion: vector.key_version };
  const version = createSecretKey(Buffer.from(vector.version_bytes_hex, 'hex'));
  const key = openIntakeKey(version, tenant_id, place);

  test('the public key has the expected text', () => {
    const text = formatPublicKey({ ...place, bytes: key.publicKey });
    expect(createHash('sha256').update(text).digest('hex')).toBe(vector.public_key_token_sha256_hex);
  });

  test('opening returns the DEK', () => {
    const wrapped = bytes(vector.wrapped_key);
    const sharedSecret = key.decapsulate(wrapped) ?? Buffer.of();
    expect(Buffer.from(sharedSecret).toString('hex')).toBe(vector.shared_secret_hex);
    const dek = openForIntake(intakeCrypto, place, wrapped, sharedSecret, vector.wrap_context);
    expect(Buffer.from(dek ?? []).toString('hex')).toBe(vector.dek_hex);
  });
});

test.each(refusals.filter(({ wrapped }) => wrapped.length === 1_568))(
  'a wrapped key does not open: $name',
  ({ version_bytes_hex, tenant, key: id, key_version: keyVersion, context, wrapped: text }) => {
    const place = { keyId: id, keyVersion };
    const key = openIntakeKey(createSecretKey(Buffer.from(version_bytes_hex, 'hex')), tenant, place);
    const wrapped = bytes(text);
    const sharedSecret = key.decapsulate(wrapped);
    key.wipe();
    const dek = sharedSecret && openForIntake(intakeCrypto, place, wrapped, sharedSecret, context);
    expect(dek).toBe(undefined);
  },
);

test('any flipped bit of a wrapped key is refused', { timeout: 60_000 }, () => {
  const [vector] = cases;
  if (!vector) throw new Error('the vectors must have a case');
  const place = { keyId, keyVersion: vector.key_version };
  const key = openIntakeKey(createSecretKey(Buffer.from(vector.version_bytes_hex, 'hex')), tenant_id, place);
  const opened = Array.from({ length: 1_174 }, (_, at) => {
    const wrapped = bytes(vector.wrapped_key);
    wrapped.set([(wrapped[at] ?? 0) ^ (1 << (at % 8))], at);
    const sharedSecret = key.decapsulate(wrapped);
    return sharedSecret && openForIntake(intakeCrypto, place, wrapped, sharedSecret);
  });
  // X25519 ignores the highest bit of a point, and the combiner of X-Wing hashes this bit.
  expect(new Set(opened)).toEqual(new Set([undefined]));
});
