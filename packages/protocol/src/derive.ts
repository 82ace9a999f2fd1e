import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { type Engine, type EngineMode, onward, type Outcome } from './engines/engine.ts';
import { InputError } from './errors.ts';
import { dekLength } from './limits.ts';

/** What a DEK is used through: never itself. */
export interface Derived {
  readonly key: unknown;
  readonly commitment: Uint8Array;
}

/**
 * K || C = HKDF-SHA-256 (RFC 5869): the key that encrypts, and the commitment to the DEK. Not an engine's
 * affair: Node refuses an info over 1,024 bytes, in WebCrypto too, and that of a stream holds its context.
 */
export function derive<Mode extends EngineMode>(
  engine: Engine<Mode>,
  dek: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
): Outcome<Mode, Derived> {
  if (dek.length !== dekLength) throw new InputError(`a DEK has ${dekLength} bytes`);
  const derived = hkdf(sha256, dek, salt, info, 64);
  const commitment = derived.slice(32);
  return onward<Mode, unknown, Derived>(engine.importKey(derived.subarray(0, 32)), (key) => {
    derived.fill(0);
    return { key, commitment };
  });
}
