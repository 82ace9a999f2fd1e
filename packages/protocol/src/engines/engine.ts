// What the formats need of an AES-GCM, and how the same code serves engines that return results and those that return promises.
import type { Context } from '../context.ts';
import type { DataKey } from '../data-key.ts';
import { DecryptionError } from '../errors.ts';

/** Whether the calls of an engine return results (`sync`) or promises (`async`). */
export type EngineMode = 'sync' | 'async';

/** The return value of an engine's call: a result if the engine is synchronous, and otherwise a promise. */
export type Outcome<Mode extends EngineMode, T> = Mode extends 'sync' ? T : Promise<T>;

export type TextKey<Key> = Pick<DataKey, 'header' | 'commitment' | 'aad'> & { readonly key: Key | undefined };

/**
 * The cryptographic primitives. All engines return the same bytes. Engines differ in speed, and in whether their calls
 * are synchronous. A caller can overwrite the arguments as soon as a call has returned, even if the call returned a
 * promise.
 */
export interface Engine<Mode extends EngineMode = EngineMode, Key = unknown> {
  readonly name: string;
  /**
   * Copies a 256-bit key into the form that the engine uses. The caller can overwrite its own copy of the key
   * afterwards.
   */
  importKey(key: Uint8Array): Outcome<Mode, Key>;
  /** AES-256-GCM (SP 800-38D): fills `out` with the ciphertext and its 16-byte tag. */
  encrypt(
    key: Key,
    iv: Uint8Array,
    aad: Uint8Array,
    plaintext: Uint8Array,
    out: Uint8Array,
  ): Outcome<Mode, void>;
  /** Decrypts AES-256-GCM. Returns the plaintext, or undefined if the tag is wrong. */
  decrypt(key: Key, iv: Uint8Array, aad: Uint8Array, body: Uint8Array): Outcome<Mode, Uint8Array | undefined>;
  /** Allocates memory without filling it with zeros, which saves time. The caller must overwrite all of the memory. */
  allocate?(length: number): Uint8Array<ArrayBuffer>;
  /**
   * Encrypts a text and returns the envelope in base64, faster than separate calls of toUtf8, sealUnder and toBase64.
   * This function is optional.
   */
  sealText?(dataKey: TextKey<Key>, text: string, context?: Context): string;
  /** Overwrites a key in memory if the engine supports overwriting. */
  wipe(key: Key): void;
}

/** An engine whose calls return results, not promises. */
export type SyncEngine = Engine<'sync'>;

/**
 * Also returns true for promises of another class than `Promise`: if a page loads zone.js, WebCrypto returns such
 * promises. Returns false for a row with a column `then`, whose value is not a function.
 */
export function isPromise<T>(value: unknown): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null | undefined)?.then === 'function';
}

export function onward<Mode extends EngineMode, T, R>(
  outcome: Outcome<Mode, T>,
  next: (value: T) => R | Outcome<Mode, R>,
): Outcome<Mode, R> {
  const result = isPromise<T>(outcome) ? outcome.then(next) : next(outcome as T);
  return result as Outcome<Mode, R>;
}

export function authentic<Mode extends EngineMode>(
  opened: Outcome<Mode, Uint8Array | undefined>,
  reason?: string,
): Outcome<Mode, Uint8Array> {
  return onward<Mode, Uint8Array | undefined, Uint8Array>(opened, (plaintext) => {
    if (!plaintext) throw new DecryptionError(reason);
    return plaintext;
  });
}
