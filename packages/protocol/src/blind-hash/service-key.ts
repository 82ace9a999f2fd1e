import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { using } from '../bytes.ts';
import { pae } from '../pae.ts';
import { toUtf8 } from '../text.ts';
import { concat, type Element, elementOf, hashToKey, prefixed, randomScalar, scalars } from './curve.ts';
import type { CurveEngine, Multiplier } from './multiply.ts';

/**
 * The secret with which the service computes the blind hashes of a key, and the public key of this secret. Keep the
 * secret only in memory.
 */
export interface BlindHashKey {
  readonly engine: CurveEngine;
  readonly publicKey: Element;
  readonly secret: Multiplier;
  /**
   * Two random numbers whose sum is the secret. Bigint operations use these numbers and not the secret, because the
   * time of the operations could reveal the secret.
   */
  readonly shares: readonly [bigint, bigint];
}

const noSalt = new Uint8Array(0);
const keyInfo = toUtf8('eaas blind hash v1');

/** Derives the secret for blind hashes. A rotation of the key does not change this secret. */
export function deriveBlindHashKey(
  engine: CurveEngine,
  hashKey: Uint8Array,
  tenantId: string,
  keyId: string,
): BlindHashKey {
  const info = pae('eaas blind hash key v1', tenantId, keyId);
  const scalar = using(hkdf(sha256, hashKey, noSalt, info, 32), deriveScalar);
  const secret = engine.multiplier(scalar);
  const share = randomScalar();
  return {
    engine,
    publicKey: elementOf(secret.base()),
    secret,
    shares: [share, scalars.sub(scalar, share)],
  };
}

/** DeriveKeyPair of RFC 9497, section 3.2.1. */
function deriveScalar(seed: Uint8Array): bigint {
  const message = concat(seed, prefixed(keyInfo), Uint8Array.of(0));
  return using(message, () => {
    for (let counter = 0; counter < 256; counter++) {
      message[message.length - 1] = counter;
      const scalar = hashToKey(message);
      if (scalar !== 0n) return scalar;
    }
    throw new Error(
      'a blind hash key must not be 0, but each of 256 attempts resulted in 0: the hash function is broken',
    );
  });
}
