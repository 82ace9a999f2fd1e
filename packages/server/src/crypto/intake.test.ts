import { createHash, createSecretKey } from 'node:crypto';
import { formatPublicKey, openForIntake } from '@eaas/protocol/internal-intake';
import { describe, expect, test } from 'vitest';
import { some } from '@eaas/test-kit/cases';
import { bytes, vectors } from '@eaas/test-kit/vectors';
import { intakeCrypto, openIntakeKey } from './intake.ts';

const { tenant_id, key_id: keyId, cases, refusals } = vectors('intake');

describe.each(cases)('the vector $name', (vector) => {
  const place = { keyId, keyVersion: vector.key_version };
  const version = createSecretKey(Buffer.from(vector.version_bytes_hex, 'hex'));
  const key = openIntakeKey(version, tenant_id, place);

  test('the text of the public key matches the vector', () => {
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

describe('a wrapped key with a flipped bit', () => {
  const [vector] = cases;
  if (!vector) throw new Error('the vectors must have at least one wrapped key');
  const place = { keyId, keyVersion: vector.key_version };
  const key = openIntakeKey(createSecretKey(Buffer.from(vector.version_bytes_hex, 'hex')), tenant_id, place);
  const dekAfter = (at: number, flipped: number): Uint8Array | undefined => {
    const wrapped = bytes(vector.wrapped_key);
    wrapped.set([(wrapped[at] ?? 0) ^ flipped], at);
    const sharedSecret = key.decapsulate(wrapped);
    return sharedSecret && openForIntake(intakeCrypto, place, wrapped, sharedSecret, vector.wrap_context);
  };

  test('a wrapped key is refused if one bit of any byte is flipped', () => {
    expect(Buffer.from(dekAfter(0, 0) ?? []).toString('hex')).toBe(vector.dek_hex);
    const places = some(
      60,
      Array.from({ length: 1_174 }, (_, at) => at),
    );
    const opened = places.map((at) => dekAfter(at, 1 << (at % 8)));
    expect(new Set(opened)).toEqual(new Set([undefined]));
  });

  test('a wrapped key is refused if the highest bit of its X25519 point is flipped', () => {
    const lastOfPoint = 6 + 1_088 + 31;
    const point = bytes(vector.wrapped_key).subarray(lastOfPoint - 31, lastOfPoint + 1);
    const flipped = point.with(31, (point[31] ?? 0) ^ 0x80);
    const scalar = new Uint8Array(32).fill(1);
    expect(intakeCrypto.x25519(scalar, flipped)).toEqual(intakeCrypto.x25519(scalar, point));
    // X25519 ignores the highest bit of a point. X-Wing also hashes the point, so another highest bit gives another
    // shared secret.
    expect(dekAfter(lastOfPoint, 0x80)).toBe(undefined);
  });
});
