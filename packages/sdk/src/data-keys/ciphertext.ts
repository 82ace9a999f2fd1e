// Encrypts a value with its context under a derived data key, and returns the envelope as text or bytes, or in a bundle.
import {
  type Context,
  type DataKey,
  type EngineMode,
  envelopeLength,
  fixContext,
  FormatError,
  InputError,
  isBytes,
  kindOf,
  notCiphertext,
  oneOf,
  type Outcome,
  requireWellFormed,
  sealUnder,
  toUtf8,
} from '@eaas/protocol/internal';
import { toBase64, viewBase64 } from '@eaas/protocol/internal-base64';
import type { DerivedDataKey } from './derive.ts';

/**
 * An encrypted value as an object. Its members have the names of the API, so the object can be sent to `/v1/decrypt`
 * unchanged. The `ciphertext` is what `encrypt` returns without `as`, and contains all other members.
 */
export interface Bundle {
  readonly ciphertext: string;
  readonly wrapped_key: string;
  readonly iv: string;
  readonly key_id: string;
  readonly key_version: number;
}

/** The form of an encrypted value: `text` and `bytes` are the envelope, `bundle` is an object with five members. */
export type EncryptedForm = 'text' | 'bytes' | 'bundle';
/** The type of an encrypted value: a string for the form `text`, a Uint8Array for `bytes`, and a Bundle for `bundle`. */
export type EncryptedAs<Form extends EncryptedForm> = {
  text: string;
  bytes: Uint8Array;
  bundle: Bundle;
}[Form];

/** A value that can be decrypted: what `encrypt` returns, in each form. */
export type Ciphertext = string | Uint8Array | { readonly ciphertext: string | Uint8Array };

export const contextOf = (context: Context | undefined): Context | undefined =>
  context === undefined ? undefined : fixContext(context);

type Contexts = { readonly [Name in 'context' | 'wrapContext']?: Context | undefined };

export const copyContexts = <T extends Contexts>(options: T): T => ({
  ...options,
  context: contextOf(options.context),
  wrapContext: contextOf(options.wrapContext),
});

/** Copies values, contexts and options, because the caller can change them before they are used. */
export function copied<T>(given: T): T {
  if (isBytes(given)) return new Uint8Array(given) as T;
  if (Array.isArray(given)) return given.map(copied) as T;
  if (Object(given) !== given || Object.getPrototypeOf(given) !== Object.prototype) return given;
  return Object.fromEntries(
    Object.entries(given as object).map(([name, value]) => [name, copied<unknown>(value)]),
  ) as T;
}

export function envelopeBytes(given: Ciphertext, read = viewBase64): Uint8Array {
  const ciphertext = (given as { readonly ciphertext?: string | Uint8Array } | null)?.ciphertext ?? given;
  if (isBytes(ciphertext)) return ciphertext;
  if (typeof ciphertext !== 'string') {
    throw new InputError(
      `a ciphertext must be a string, a Uint8Array or an object with \`ciphertext\` (got ${kindOf(given)})`,
    );
  }
  const bytes = read(ciphertext);
  if (bytes) return bytes;
  if (!ciphertext.startsWith('eaas')) throw new FormatError(notCiphertext);
  const fault = /\s$/.test(ciphertext) ? 'it ends in a newline or a space' : 'it was truncated or altered';
  throw new FormatError(`a ciphertext must be canonical base64: ${fault}`);
}

// A text has the envelope in base64, and a string of V8 has at most 536,870,888 characters.
const longestInText = 400_000_000;

export function requireValue(value: string | Uint8Array, form?: EncryptedForm): void {
  const isText = typeof value === 'string';
  if (!isText && !isBytes(value)) {
    throw new InputError(`a value must be a string or a Uint8Array (got ${kindOf(value)})`);
  }
  if (form !== 'bytes' && value.length > longestInText) {
    throw new InputError(
      "a value of over 400 MB has no ciphertext as a text: pass `as: 'bytes'`, or use `encryptStream`",
    );
  }
  if (isText) requireText(value);
}

export function requireText(value: string): void {
  if (typeof value !== 'string') throw new InputError(`a value must be a string (got ${kindOf(value)})`);
  requireWellFormed(value, 'a value');
}

export function requireDek(dek: Uint8Array): void {
  if (isBytes(dek) && dek.length === 32) return;
  throw new InputError(`a data key (DEK) must be a Uint8Array of 32 bytes (got ${kindOf(dek)})`);
}

export type EncryptedValue = EncryptedAs<EncryptedForm>;
export type Seal<T = EncryptedValue> = <Mode extends EngineMode>(
  key: DerivedDataKey,
  dataKey: DataKey<Mode>,
  value: string | Uint8Array,
  context: Context | undefined,
) => Outcome<Mode, T>;

/**
 * Returns a function that encrypts the value when the data key has arrived. Copies the value and the context now,
 * because the caller can overwrite both before that time.
 */
export function sealing(seal: Seal, value: string | Uint8Array, context: Context | undefined) {
  requireValue(value);
  const own = typeof value === 'string' ? value : new Uint8Array(value);
  const ownContext = contextOf(context);
  return (key: DerivedDataKey) => seal(key, key.values, own, ownContext);
}

const sealBytes: Seal<Uint8Array> = (_, dataKey, value, context) =>
  sealUnder(dataKey, typeof value === 'string' ? toUtf8(value) : value, context);

const sealText: Seal<string> = (_, dataKey, value, context) => {
  const { engine } = dataKey;
  if (typeof value === 'string' && engine.sealText) return engine.sealText(dataKey, value, context) as never;
  return sealInText(dataKey, value, context, (ciphertext) => ciphertext);
};

const sealBundle: Seal<Bundle> = (key, dataKey, value, context) => {
  const { wrappedText: wrapped_key, keyId: key_id, keyVersion: key_version } = key;
  return sealInText(dataKey, value, context, (ciphertext, iv) => {
    return { ciphertext, wrapped_key, iv: toBase64(iv), key_id, key_version };
  });
};

function sealInText<Mode extends EngineMode, T>(
  dataKey: DataKey<Mode>,
  value: string | Uint8Array,
  context: Context | undefined,
  form: (ciphertext: string, iv: Uint8Array) => T,
): Outcome<Mode, T> {
  const plaintext = typeof value === 'string' ? toUtf8(value) : value;
  const length = envelopeLength(dataKey.header.length, plaintext.length);
  const buffer = length > bufferLength ? undefined : (buffers.pop() ?? new Uint8Array(bufferLength));
  const whole = (envelope: Uint8Array, iv: Uint8Array): T => {
    const ciphertext = toBase64(envelope);
    if (buffer && buffers.length < maxBuffers) buffers.push(buffer);
    return form(ciphertext, iv);
  };
  return sealUnder(dataKey, plaintext, context, whole, buffer?.subarray(0, length));
}

const seals = { text: sealText, bytes: sealBytes, bundle: sealBundle };

/** Accepts the option `as` of calls that encrypt. */
export const sealedForm = /* @__PURE__ */ oneOf(.../* @__PURE__ */ Object.keys(seals));

export const sealAs = (form: EncryptedForm = 'text'): Seal => seals[form];

// Buffers for envelopes. The client reuses these buffers, because in a browser, a new buffer for each envelope would
// cause most of the garbage collection.
const buffers: Uint8Array<ArrayBuffer>[] = [];
const maxBuffers = 100;
const bufferLength = 4_096;
