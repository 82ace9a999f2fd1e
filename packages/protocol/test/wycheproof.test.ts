// What our engines and noble do with the cases of Project Wycheproof. The SDK's callers of the platform have tests of their
// own.
import { ml_kem768 } from '@noble/post-quantum/ml-kem.js';
import { wycheproof } from '@eaas/test-kit/wycheproof';
import { describe, expect, test } from 'vitest';
import { hkdf } from '../src/derive.ts';
import { nobleIntakeCrypto } from '../src/intake/noble.ts';
import { x25519 } from '../src/intake/x25519.ts';
import { engines } from './engines.ts';

const hex = (bytes: Uint8Array | ArrayBuffer | undefined) =>
  bytes && Buffer.from(bytes as Uint8Array).toString('hex');

/** Returns what `work` returns, in hexadecimal, or undefined if it throws. */
async function tried(work: () => unknown): Promise<string | undefined> {
  try {
    return hex((await work()) as Uint8Array);
  } catch {
    return undefined;
  }
}

describe.each(engines)('AES-256-GCM of $name', (engine) => {
  const { cases } = wycheproof('aes_gcm_test');
  // No format has ivs of other sizes.
  const ours = cases.filter(({ iv }) => iv.length === 12);

  test(`encrypts and decrypts ${ours.length} cases`, async () => {
    expect(ours).toHaveLength(66);
    for (const { tcId, key, iv, aad, msg, ct, tag, result } of ours) {
      const imported = await engine.importKey(key);
      const body = Buffer.concat([ct, tag]);
      const opened = await engine.decrypt(imported, iv, aad, body);
      expect({ tcId, opened: hex(opened) }).toEqual({
        tcId,
        opened: result === 'valid' ? hex(msg) : undefined,
      });
      if (result !== 'valid') continue;
      const sealed = new Uint8Array(body.length);
      await engine.encrypt(imported, iv, aad, msg, sealed);
      expect({ tcId, sealed: hex(sealed) }).toEqual({ tcId, sealed: hex(body) });
    }
  });
});

test('our HKDF with the hashes of noble derives what the cases say', async () => {
  const { cases } = wycheproof('hkdf_sha256_test');
  // The derivation of data keys takes 32 bytes, and returns 64.
  const ours = cases.filter(({ ikm, size }) => ikm.length === 32 && size <= 64);
  expect(cases.length - ours.length).toBe(8);
  for (const { tcId, ikm, salt, info, size, okm, result } of ours) {
    const derived = await tried(() => hkdf(ikm, salt, info).subarray(0, size));
    expect([tcId, derived]).toEqual([tcId, result === 'valid' ? hex(okm) : undefined]);
  }
});

test('HMAC-SHA-256 of noble', async () => {
  for (const { tcId, key, msg, tag, result } of wycheproof('hmac_sha256_test').cases) {
    const made = (await tried(() => nobleIntakeCrypto.hmac(key, msg)))?.slice(0, 2 * tag.length);
    expect([tcId, made === hex(tag)]).toEqual([tcId, result === 'valid']);
  }
});

test('X25519 of noble, as intake calls it, which refuses points of low order', async () => {
  for (const one of wycheproof('x25519_test').cases) {
    const expected = one.flags.includes('ZeroSharedSecret') ? undefined : hex(one.shared);
    expect([one.tcId, await tried(() => x25519(one.private, one.public))]).toEqual([one.tcId, expected]);
  }
});

describe('ML-KEM-768 of noble', () => {
  test('decapsulates', async () => {
    for (const { tcId, seed, c, K, result } of wycheproof('mlkem_768_test').cases) {
      const secret = await tried(() => ml_kem768.decapsulate(c, ml_kem768.keygen(seed).secretKey));
      expect([tcId, secret]).toEqual([tcId, result === 'valid' ? hex(K) : undefined]);
    }
  });

  test('encapsulates, and refuses public keys that are not reduced or have another length', async () => {
    for (const { tcId, ek, m, c, K, result } of wycheproof('mlkem_768_encaps_test').cases) {
      const made = await tried(() => {
        const { cipherText, sharedSecret } = ml_kem768.encapsulate(ek, m);
        return Buffer.concat([cipherText, sharedSecret]);
      });
      expect([tcId, made]).toEqual([tcId, result === 'valid' ? hex(Buffer.concat([c, K])) : undefined]);
    }
  });

  test('makes keys', () => {
    for (const { seed, ek, dk } of wycheproof('mlkem_768_keygen_seed_test').cases) {
      const { publicKey, secretKey } = ml_kem768.keygen(seed);
      expect([hex(publicKey), hex(secretKey)]).toEqual([hex(ek), hex(dk)]);
    }
  });
});
