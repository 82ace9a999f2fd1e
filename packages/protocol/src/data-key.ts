// Encrypts and decrypts single values under a derived data key: here a value becomes an envelope, and is compared with its
// commitment before it is opened.
import { copyFrom, equalBytes, isBytes, randomIv } from './bytes.ts';
import { additionalData, type Context } from './context.ts';
import { authentic, type Engine, type EngineMode, onward, type Outcome } from './engines/engine.ts';
import {
  type Envelope,
  envelopeLength,
  formatHeader,
  type Header,
  truncated,
  type Wrapped,
  writeFront,
} from './envelope.ts';
import { DecryptionError, InputError } from './errors.ts';
import { commitmentLength, ivLength, prefixLength } from './format-sizes.ts';
import { toUtf8 } from './text.ts';

/** The HKDF info under which values are encrypted. */
export const dataKeyInfo = /* @__PURE__ */ toUtf8('eaas envelope v1');

/** A derived data key. It can encrypt up to 2^32 messages, and the caller must count these messages. */
export interface DataKey<Mode extends EngineMode = EngineMode> {
  readonly engine: Engine<Mode>;
  /** The envelope header for all messages under this data key. */
  readonly header: Uint8Array;
  readonly commitment: Uint8Array;
  /** The AAD of a message without a context: the envelope prefix and an empty context. */
  readonly aad: Uint8Array;
  /** The data key in the form that the engine uses. It is undefined after wipeDataKey. */
  key: unknown;
  /** What its DecryptionError says, if the data key is one with a second half. */
  reason?: string;
}

/** Imports a derived data key into an engine. The caller must call `wipeDataKey` after use. */
export function dataKeyFrom<Mode extends EngineMode>(
  engine: Engine<Mode>,
  derived: Uint8Array,
  wrapped: Wrapped,
  header: Uint8Array = formatHeader(1, wrapped),
): Outcome<Mode, DataKey<Mode>> {
  const aad = additionalData(header.subarray(0, prefixLength)).slice();
  // Copies the bytes with `new Uint8Array`, because `slice` of a Buffer returns a view of the same memory.
  const commitment = new Uint8Array(derived.subarray(32, 64));
  return onward<Mode, unknown, DataKey<Mode>>(engine.importKey(derived.subarray(0, 32)), (key) => {
    return { engine, header, aad, commitment, key };
  });
}

/**
 * Encrypts one message under a data key. Returns the envelope, or the result of `form(envelope, iv)`. If the caller
 * passes memory as `room`, the function writes the envelope into this memory.
 */
export function sealUnder<Mode extends EngineMode, T = Uint8Array<ArrayBuffer>>(
  dataKey: DataKey<Mode>,
  plaintext: Uint8Array,
  context?: Context,
  form?: (envelope: Uint8Array, iv: Uint8Array) => T,
  room?: Uint8Array,
): Outcome<Mode, T> {
  const { engine, header, commitment } = dataKey;
  const key = requireKey(dataKey);
  // Refuses strings here, because WebCrypto encrypts a string as an empty plaintext and reports no error.
  if (!isBytes(plaintext)) throw new TypeError('expected a Uint8Array');
  const length = envelopeLength(header.length, plaintext.length);
  const envelope = room ?? engine.allocate?.(length) ?? new Uint8Array(length);
  const iv = randomIv();
  const bodyAt = writeFront(envelope, header, iv, commitment);
  const aad = context ? additionalData(header.subarray(0, prefixLength), context) : dataKey.aad;
  const written = engine.encrypt(key, iv, aad, plaintext, envelope.subarray(bodyAt));
  return onward<Mode, void, T>(written, () => (form ? form(envelope, iv) : (envelope as T)));
}

/**
 * Decrypts an envelope under its data key. Throws DecryptionError if the decryption fails, whatever the cause.
 */
export function openUnder<Mode extends EngineMode>(
  dataKey: DataKey<Mode>,
  envelope: Pick<Envelope, 'prefix' | 'iv' | 'commitment' | 'body'>,
  context?: Context,
): Outcome<Mode, Uint8Array> {
  const key = requireKey(dataKey);
  const aad = additionalData(envelope.prefix, context);
  // GCM does not commit to its key. Without this check of the commitment, one ciphertext could decrypt under two keys.
  if (!equalBytes(dataKey.commitment, envelope.commitment)) throw new DecryptionError(dataKey.reason);
  return authentic(dataKey.engine.decrypt(key, envelope.iv, aad, envelope.body), dataKey.reason);
}

const iv = /* @__PURE__ */ new Uint8Array(ivLength);
const commitment = /* @__PURE__ */ new Uint8Array(commitmentLength);

/** The same for an envelope whose header is known. Copies its short parts, because a view takes longer, and more memory. */
export function openAfter<Mode extends EngineMode>(
  dataKey: DataKey<Mode>,
  { prefix, length }: Header,
  bytes: Uint8Array,
  context?: Context,
): Outcome<Mode, Uint8Array> {
  if (bytes.length < envelopeLength(length, 0)) throw truncated();
  copyFrom(bytes, length, iv);
  copyFrom(bytes, length + ivLength, commitment);
  const body = bytes.subarray(length + ivLength + commitmentLength);
  return openUnder(dataKey, { prefix, iv, commitment, body }, context);
}

/** Makes a data key unusable. Overwrites the bytes of the data key if the engine supports overwriting. */
export function wipeDataKey(dataKey: Pick<DataKey, 'engine' | 'key'>): void {
  if (dataKey.key !== undefined) dataKey.engine.wipe(dataKey.key);
  dataKey.key = undefined;
}

export function requireKey<Key>(
  { key }: { readonly key: Key | undefined },
  fault = 'the data key cannot be used again: it was wiped from memory',
): Key {
  // A wiped data key must not encrypt, because its bytes are zeros, which an attacker knows.
  if (key === undefined) throw new InputError(fault);
  return key;
}
