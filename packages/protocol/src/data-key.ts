import { abytes, equalBytes } from '@noble/ciphers/utils.js';
import { additionalData, type Context } from './context.ts';
import type { Derived } from './derive.ts';
import { type Engine, type EngineMode, onward, type Outcome } from './engines/engine.ts';
import {
  commitmentLength,
  type Envelope,
  formatHeader,
  ivLength,
  tagLength,
  type Wrapped,
} from './envelope.ts';
import { DecryptionError, InputError } from './errors.ts';
import { randomIv } from './random.ts';
import { toUtf8 } from './text.ts';

/** What a DEK is derived for, in the envelope's first version. */
export const dataKeyInfo = /* @__PURE__ */ toUtf8('eaas envelope v1');

/** A data key made ready: derived once, then used for as many messages as its holder allows (at most 2^32). */
export interface DataKey<Mode extends EngineMode = EngineMode> {
  readonly engine: Engine<Mode>;
  /** The envelope's header, the same for every message under this key. */
  readonly header: Uint8Array;
  readonly commitment: Uint8Array;
  /** What a message without a context authenticates besides itself. */
  readonly aad: Uint8Array;
  /** Undefined once wiped: nothing can be sealed or opened under a wiped key. */
  key: unknown;
}

/**
 * A data key from what HKDF-SHA-256 made of its DEK (no salt, `dataKeyInfo`, 64 bytes): K || C. Those stay the
 * caller's to wipe.
 */
export function dataKeyFrom<Mode extends EngineMode>(
  engine: Engine<Mode>,
  derived: Uint8Array,
  wrapped: Wrapped,
): Outcome<Mode, DataKey<Mode>> {
  // Not slice: that of a Buffer is a view.
  const commitment = new Uint8Array(derived.subarray(32, 64));
  const imported = engine.importKey(derived.subarray(0, 32));
  return onward<Mode, unknown, DataKey<Mode>>(imported, (key) =>
    dataKeyOf(engine, { key, commitment }, wrapped),
  );
}

/** A data key from its parts. */
export function dataKeyOf<Mode extends EngineMode>(
  engine: Engine<Mode>,
  derived: Derived,
  wrapped: Wrapped,
): DataKey<Mode> {
  const header = formatHeader(1, wrapped);
  return { engine, header, aad: additionalData(header.subarray(0, 20)).slice(), ...derived };
}

/** How long the envelope of a plaintext of this length is. */
export function envelopeLength(dataKey: DataKey, plaintextLength: number): number {
  return dataKey.header.length + ivLength + commitmentLength + plaintextLength + tagLength;
}

/**
 * Seals one message under a data key: the whole envelope, or what `form` makes of it. `room` is where it is written,
 * for whoever has memory of `envelopeLength` to use again.
 */
export function sealUnder<Mode extends EngineMode, T = Uint8Array<ArrayBuffer>>(
  dataKey: DataKey<Mode>,
  plaintext: Uint8Array,
  context?: Context,
  form?: (envelope: Uint8Array, iv: Uint8Array) => T,
  room?: Uint8Array,
): Outcome<Mode, T> {
  return sealWithIv(dataKey, randomIv(), plaintext, context, form, room);
}

/** As sealUnder, with the iv given: for the test vectors, and not exported, because an iv must never repeat. */
export function sealWithIv<Mode extends EngineMode, T = Uint8Array<ArrayBuffer>>(
  dataKey: DataKey<Mode>,
  iv: Uint8Array,
  plaintext: Uint8Array,
  context?: Context,
  form?: (envelope: Uint8Array, iv: Uint8Array) => T,
  room?: Uint8Array,
): Outcome<Mode, T> {
  const { engine, header, commitment } = dataKey;
  const key = requireKey(dataKey);
  // An engine may take text or other arrays for bytes, each in its own way; WebCrypto would seal nothing.
  abytes(plaintext);
  const length = envelopeLength(dataKey, plaintext.length);
  const envelope = room ?? engine.allocate?.(length) ?? new Uint8Array(length);
  const commitmentAt = header.length + ivLength;
  envelope.set(header);
  envelope.set(iv, header.length);
  envelope.set(commitment, commitmentAt);
  const aad = context ? additionalData(header.subarray(0, 20), context) : dataKey.aad;
  const out = envelope.subarray(commitmentAt + commitmentLength);
  const written = engine.encrypt(key, iv, aad, plaintext, out);
  return onward<Mode, void, T>(written, () => (form ? form(envelope, iv) : (envelope as T)));
}

/** Opens a parsed envelope under its data key. Whatever is wrong, it is one DecryptionError. */
export function openUnder<Mode extends EngineMode>(
  dataKey: DataKey<Mode>,
  envelope: Envelope,
  context?: Context,
): Outcome<Mode, Uint8Array> {
  const { engine, commitment } = dataKey;
  const key = requireKey(dataKey);
  const aad = additionalData(envelope.prefix, context);
  // GCM does not bind its key: without the commitment one ciphertext could open under two keys.
  if (!equalBytes(commitment, envelope.commitment)) throw new DecryptionError();
  return onward<Mode, Uint8Array | undefined, Uint8Array>(
    engine.decrypt(key, envelope.iv, aad, envelope.body),
    (plaintext) => {
      if (!plaintext) throw new DecryptionError();
      return plaintext;
    },
  );
}

/** Overwrites the key, where its engine can, and makes it unusable. */
export function wipeDataKey(dataKey: DataKey): void {
  if (dataKey.key !== undefined) dataKey.engine.wipe(dataKey.key);
  dataKey.key = undefined;
}

function requireKey(dataKey: DataKey): unknown {
  // An overwritten key is all zeros, and zeros would seal: refuse.
  if (dataKey.key === undefined) throw new InputError('this data key was wiped');
  return dataKey.key;
}
