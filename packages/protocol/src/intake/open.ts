// The service's side of intake keys: expands a private key, and opens what a writer wrapped. Whoever has an export does the same.
import { concatBytes } from '@noble/hashes/utils.js';
import { ml_kem768 } from '@noble/post-quantum/ml-kem.js';
import { attempt, using } from '../bytes.ts';
import type { Context } from '../context.ts';
import type { SyncEngine } from '../engines/engine.ts';
import { combine, keySchedule, type MessageKey } from './key-schedule.ts';
import { intakeAad, intakeInfo, intakeParts, type IntakePlace, intakeVersion } from './suite.ts';

/** The primitives that open intake wrapped keys: noble in JavaScript, OpenSSL in the server. */
export interface IntakeCrypto {
  /** Its calls take the bytes of a key, too. */
  readonly engine: SyncEngine;
  readonly shake256: (message: Uint8Array, length: number) => Uint8Array;
  readonly sha3: (message: Uint8Array) => Uint8Array;
  readonly hmac: (key: Uint8Array, message: Uint8Array) => Uint8Array;
  /** Multiplies `point` (default: the base point) by `scalar`. Throws for a point of low order. */
  readonly x25519: (scalar: Uint8Array, point?: Uint8Array) => Uint8Array;
}

/** The expanded private key of one key version. The caller must call `wipe`. */
export interface IntakePrivateKey {
  /** The public key, 1,216 bytes. */
  readonly publicKey: Uint8Array;
  /**
   * Returns the shared secret, or undefined if the wrapped key contains a point of low order. For any other altered
   * wrapped key, the secret is wrong, and the decryption fails.
   */
  decapsulate(wrapped: Uint8Array): Uint8Array | undefined;
  readonly wipe: () => void;
}

/** Expands the seed (the decapsulation key of X-Wing, 32 bytes) into a private key. The caller wipes the seed. */
export function intakePrivateKey(crypto: IntakeCrypto, seed: Uint8Array): IntakePrivateKey {
  const expanded = crypto.shake256(seed, 96);
  const mlKem = ml_kem768.keygen(expanded.subarray(0, 64));
  // Copies the bytes with `new Uint8Array`, because `slice` of a Buffer returns a view of the same memory.
  const scalar = new Uint8Array(expanded.subarray(64));
  expanded.fill(0);
  const x25519Key = crypto.x25519(scalar);
  return {
    publicKey: concatBytes(mlKem.publicKey, x25519Key),
    decapsulate(wrapped) {
      const parts = intakeParts(wrapped);
      const x25519Secret = attempt(() => crypto.x25519(scalar, parts.x25519));
      if (!x25519Secret) return undefined;
      const mlKemSecret = ml_kem768.decapsulate(parts.mlKem, mlKem.secretKey);
      return combine(crypto.sha3, mlKemSecret, x25519Secret, parts.x25519, x25519Key);
    },
    wipe() {
      mlKem.secretKey.fill(0);
      scalar.fill(0);
    },
  };
}

/**
 * Opens an intake wrapped key. Returns the DEK, or undefined if the wrapped key or the context was altered. The caller
 * wipes the DEK and the shared secret.
 */
export function openForIntake(
  crypto: IntakeCrypto,
  place: IntakePlace,
  wrapped: Uint8Array,
  sharedSecret: Uint8Array,
  context?: Context,
): Uint8Array | undefined {
  if (intakeVersion(wrapped) !== place.keyVersion) return undefined;
  const { key, nonce } = runSchedule(crypto, sharedSecret, intakeInfo(place));
  return using(key, () => {
    const aad = intakeAad(place.keyVersion, context);
    return crypto.engine.decrypt(key, nonce, aad, intakeParts(wrapped).sealed);
  });
}

function runSchedule({ hmac }: IntakeCrypto, sharedSecret: Uint8Array, info: Uint8Array): MessageKey {
  const schedule = keySchedule(sharedSecret, info);
  let step = schedule.next();
  while (!step.done) step = schedule.next(hmac(...step.value));
  return step.value;
}
