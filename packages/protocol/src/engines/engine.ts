import type { Context } from '../context.ts';

/** The result of a step: at once from a synchronous engine, as a promise from an asynchronous one. */
export type Outcome<Mode extends EngineMode, T> = Mode extends 'sync' ? T : Promise<T>;

/** Whether an engine answers at once. */
export type EngineMode = 'sync' | 'async';

/** What an envelope is made with. */
export interface TextKey<Key> {
  readonly header: Uint8Array;
  readonly commitment: Uint8Array;
  /** Undefined once wiped. */
  readonly key: Key | undefined;
}

/** An envelope and its iv, in base64. */
export interface SealedText {
  readonly ciphertext: string;
  readonly iv: string;
}

/**
 * Where the primitives come from. Every engine yields the same bytes; they differ in speed, and in whether a
 * call can finish without waiting.
 * What a call was given may be written over as soon as it has returned, be it with a promise.
 */
export interface Engine<Mode extends EngineMode = EngineMode, Key = unknown> {
  readonly name: string;
  /** Takes a copy of a 256-bit key in the form that this engine works with. */
  importKey(key: Uint8Array): Outcome<Mode, Key>;
  /** AES-256-GCM (SP 800-38D): writes the ciphertext, and its 16-byte tag behind it, over all of `out`. */
  encrypt(
    key: Key,
    iv: Uint8Array,
    aad: Uint8Array,
    plaintext: Uint8Array,
    out: Uint8Array,
  ): Outcome<Mode, void>;
  /** The plaintext, or undefined when the tag does not hold. */
  decrypt(key: Key, iv: Uint8Array, aad: Uint8Array, body: Uint8Array): Outcome<Mode, Uint8Array | undefined>;
  /** Memory for what is written over as a whole, where the engine has a cheaper one than zeros. */
  allocate?(length: number): Uint8Array<ArrayBuffer>;
  /** A shorter way from text to base64, where the engine has one: what toUtf8, sealUnder and toBase64 do. */
  sealText?(dataKey: TextKey<Key>, text: string, context?: Context): SealedText;
  /** Overwrites the key where the engine can. */
  wipe(key: Key): void;
}

/** An engine that answers at once. */
export type SyncEngine = Engine<'sync'>;

/** Goes on with a step's result, at once or when it arrives: one code path serves both kinds of engine. */
export function onward<Mode extends EngineMode, T, R>(
  outcome: Outcome<Mode, T>,
  next: (value: T) => R | Outcome<Mode, R>,
): Outcome<Mode, R> {
  const result = outcome instanceof Promise ? outcome.then(next) : next(outcome as T);
  return result as Outcome<Mode, R>;
}
