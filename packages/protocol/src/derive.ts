// HKDF from a DEK to a data key and its commitment, for `seal`, streams and services. The SDK derives with its own engines.
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { equalBytes, isBytes, using } from './bytes.ts';
import { type DataKey, dataKeyFrom, dataKeyInfo, wipeDataKey } from './data-key.ts';
import type { Engine, EngineMode, Outcome } from './engines/engine.ts';
import type { Wrapped } from './envelope.ts';
import { altered, DecryptionError, InputError } from './errors.ts';
import { dekLength } from './format-sizes.ts';

const noSalt = /* @__PURE__ */ new Uint8Array(0);

/** HMAC-SHA-256. */
type Hmac = (key: Uint8Array, message: Uint8Array) => Uint8Array;

const portableHmac: Hmac = (key, message) => hmac(sha256, key, message);

/** Derives a data key from a DEK, for values and not for streams. The caller wipes the DEK. `hmacOf`: that of the platform. */
export function deriveDataKey<Mode extends EngineMode>(
  engine: Engine<Mode>,
  dek: Uint8Array,
  wrapped: Wrapped,
  hmacOf = portableHmac,
): Outcome<Mode, DataKey<Mode>> {
  return using(hkdf(dek, noSalt, dataKeyInfo, hmacOf), (derived) => dataKeyFrom(engine, derived, wrapped));
}

/**
 * HKDF-SHA-256 with 64 bytes of output. Node's own HKDF limits `info` to 1,024 bytes, but the `info` of a stream can be
 * longer.
 */
export function hkdf(dek: Uint8Array, salt: Uint8Array, info: Uint8Array, hmacOf = portableHmac): Uint8Array {
  if (dek.length !== dekLength) {
    throw new InputError(`a DEK (data encryption key) must have ${dekLength} bytes (got ${dek.length})`);
  }
  const derived = new Uint8Array(64);
  // The first half, `info`, and the number of the half.
  const message = new Uint8Array(32 + info.length + 1);
  message.set(info, 32);
  using(hmacOf(salt, dek), (prk) => {
    for (const half of [1, 2]) {
      message[32 + info.length] = half;
      using(hmacOf(prk, message.subarray(half === 1 ? 32 : 0)), (bytes) =>
        derived.set(bytes, 32 * (half - 1)),
      );
      message.set(derived.subarray(0, 32));
    }
  });
  message.fill(0);
  return derived;
}

/** A DEK, or what it becomes with each second half of a client: the one that the envelope commits to is used. */
export type Unwrapped = Uint8Array | readonly Uint8Array[];

/**
 * Returns what is derived of the DEK to which an envelope commits, and wipes what is derived of others. Overwrites all DEKs.
 * Throws DecryptionError if none fits.
 */
export async function deriveCommitted<Derived extends Committing>(
  unwrapped: Unwrapped,
  commitment: Uint8Array,
  derive: (dek: Uint8Array) => Promise<Derived>,
): Promise<Derived> {
  const hasHalf = !isBytes(unwrapped);
  const deks = hasHalf ? unwrapped : [unwrapped];
  const reason = hasHalf ? altered : undefined;
  try {
    for (const dek of deks) {
      const derived = Object.assign(await derive(dek), { reason });
      if (equalBytes(derived.commitment, commitment)) return derived;
      wipeDataKey(derived);
    }
    throw new DecryptionError(reason);
  } finally {
    for (const dek of deks) dek.fill(0);
  }
}

type Committing = Pick<DataKey, 'engine' | 'key' | 'commitment'>;
