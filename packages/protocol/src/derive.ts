import { hmac } from '@noble/hashes/hmac.js';
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
 * K || C = HKDF-SHA-256 (RFC 5869, sections 2.2 and 2.3), whose 64 bytes are two blocks: T(1), the key that
 * encrypts, and T(2), the commitment to the DEK. Not an engine's affair: Node's HKDF refuses an info over 1,024
 * bytes, in WebCrypto too, and a stream's info holds its context.
 */
export function derive<Mode extends EngineMode>(
  engine: Engine<Mode>,
  dek: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
): Outcome<Mode, Derived> {
  if (dek.length !== dekLength) throw new InputError(`a DEK has ${dekLength} bytes`);
  const prk = hmac(sha256, salt, dek);
  const k = hmac.create(sha256, prk).update(info).update(Uint8Array.of(1)).digest();
  const commitment = hmac.create(sha256, prk).update(k).update(info).update(Uint8Array.of(2)).digest();
  prk.fill(0);
  return onward<Mode, unknown, Derived>(engine.importKey(k), (key) => {
    k.fill(0);
    return { key, commitment };
  });
}
