import { createSecretKey } from 'node:crypto';
import { wycheproof } from '@eaas/test-kit/wycheproof';
import { expect, test } from 'vitest';
import { hmacSha256 } from './hmac.ts';
import { intakeCrypto } from './intake.ts';

test('HMAC-SHA-256 of two hashes has the result of each case whose key has at most 64 bytes', () => {
  const { cases } = wycheproof('hmac_sha256_test');
  const ours = cases.filter(({ key }) => key.length <= 64);
  expect(cases.length - ours.length).toBe(6);
  for (const { tcId, key, msg, tag, result } of ours) {
    const prepared = hmacSha256(createSecretKey(key), msg.length);
    prepared.message.set(msg);
    const isEqual = prepared.digest().subarray(0, tag.length).equals(tag);
    expect([tcId, isEqual]).toEqual([tcId, result === 'valid']);
  }
});

test('X25519 of OpenSSL has the result of each case, and refuses points of low order', () => {
  for (const { tcId, flags, public: point, private: scalar, shared } of wycheproof('x25519_test').cases) {
    const isRefused = flags.includes('ZeroSharedSecret');
    expect([tcId, multiplied(scalar, point)]).toEqual([tcId, isRefused ? undefined : shared.toString('hex')]);
  }
});

function multiplied(scalar: Uint8Array, point: Uint8Array): string | undefined {
  try {
    return Buffer.from(intakeCrypto.x25519(scalar, point)).toString('hex');
  } catch {
    return undefined;
  }
}
