// HKDF from a DEK to a data key and its commitment, for `seal`, streams and services. The SDK derives with its own engines.
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { isBytes, using } from './bytes.ts';
import { type DataKey, dataKeyFrom, dataKeyInfo } from './data-key.ts';
import type { Engine, EngineMode, Outcome } from './engines/engine.ts';
import type { Wrapped } from './envelope.ts';
import { altered, InputError } from './errors.ts';
import { dekLength } from './format-sizes.ts';

const noSalt = /* @__PURE__ */ new Uint8Array(0);

/** HMAC-SHA-256. */
type Hmac = (key: Uint8Array, message: Uint8Array) => Uint8Array;

/** Derives a data key from a DEK, for values and not for streams. The caller wipes the DEK. */
export function deriveDataKey<Mode extends EngineMode>(
  engine: Engine<Mode>,
  dek: Uint8Array,
  wrapped: Wrapped,
): Outcome<Mode, DataKey<Mode>> {
  return deriveBy(portableHmac, engine, dek, wrapped);
}

/** As `deriveDataKey`, with an HMAC of the platform. */
export function deriveBy<Mode extends EngineMode>(
  hmacOf: Hmac,
  engine: Engine<Mode>,
  dek: Uint8Array,
  wrapped: Wrapped,
): Outcome<Mode, DataKey<Mode>> {
  return using(hkdf(dek, noSalt, dataKeyInfo, hmacOf), (derived) => dataKeyFrom(engine, derived, wrapped));
}

const portableHmac: Hmac = (key, message) => hmac(sha256, key, message);

/**
 * HKDF-SHA-256 with 64 bytes of output. Node's own HKDF limits `info` to 1,024 bytes, but the `info` of a stream can be
 * longer.
 */
export function hkdf(dek: Uint8Array, salt: Uint8Array, info: Uint8Array, hmacOf = portableHmac): Uint8Array {
  if (dek.length !== dekLength)
    throw new InputError(`a DEK (data encryption key) must have ${dekLength} bytes (got ${dek.length})`);
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

/** The DEKs to try, and what a DecryptionError says if none fits. The caller overwrites all of them. */
export function candidatesIn(unwrapped: Unwrapped) {
  const hasHalf = !isBytes(unwrapped);
  return { deks: hasHalf ? unwrapped : [unwrapped], reason: hasHalf ? altered : undefined };
}
