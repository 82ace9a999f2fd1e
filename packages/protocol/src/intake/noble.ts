// Opens intake keys where there is no OpenSSL, with the primitives of noble.
import { hkdf } from '@noble/hashes/hkdf.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { sha3_256, shake256 } from '@noble/hashes/sha3.js';
import { using } from '../bytes.ts';
import { nobleEngine } from '../engines/noble.ts';
import { type IntakeCrypto, type IntakePrivateKey, intakePrivateKey } from './open.ts';
import { basePoint, intakeKeyInfo, type IntakePlace } from './suite.ts';
import { x25519 } from './x25519.ts';

/**
 * The primitives for opening intake wrapped keys in every runtime. The multiplication on X25519 is not constant-time.
 */
export const nobleIntakeCrypto: IntakeCrypto = {
  engine: nobleEngine,
  shake256: (message, dkLen) => shake256(message, { dkLen }),
  sha3: sha3_256,
  hmac: (key, message) => hmac(sha256, key, message),
  x25519: (scalar, point = basePoint) => x25519(scalar, point),
};

/** Derives the private key from the key version's 32 secret bytes. The caller must call `wipe` of the private key. */
export function nobleIntakeKey(version: Uint8Array, tenantId: string, place: IntakePlace): IntakePrivateKey {
  const seed = hkdf(sha256, version, undefined, intakeKeyInfo(tenantId, place), 32);
  return using(seed, () => intakePrivateKey(nobleIntakeCrypto, seed));
}
