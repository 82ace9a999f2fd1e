import type { Context } from '@eaas/protocol';
import {
  anything,
  context,
  flag,
  iterable,
  type OptionRules,
  signal,
  text,
} from '@eaas/protocol/internal-options';
import type { Bundle, Ciphertext } from '../client/ciphertext.ts';
import { keyId, keyIds } from './key-id.ts';
import { somebody } from './people.ts';
import type { CallOptions } from '../transport/transport.ts';

interface SubjectOption {
  /**
   * The person whose data the value is, by an opaque id of your app: 1 to 256 bytes of UTF-8. The data key then belongs
   * to this person, and `subjects.erase` makes everything under it unreadable. Decryption needs the same subject. A UUID
   * is the same subject in upper and lower case. Undefined throws InputError, because the value would be one of nobody.
   */
  readonly subject?: string;
}

/** Options of `unwrap`. */
export interface UnwrapOptions extends CallOptions, SubjectOption {
  /**
   * The service binds the wrap context to the data key, and unwraps the data key only with the same wrap context.
   * Server mode cannot decrypt a value whose data key has a wrap context.
   */
  readonly wrapContext?: Context | undefined;
}

interface KeyOption {
  /** The id of the key that the call uses. Defaults to the client's key. */
  readonly keyId?: string | undefined;
}

interface ExpectedKeyOptions {
  /** The ids of the keys whose ciphertexts the call accepts. Defaults to the client's key. */
  readonly keyId?: string | readonly string[] | undefined;
  /** If true, the call accepts ciphertexts under any key. */
  readonly anyKey?: boolean | undefined;
}

/** Options of `encrypt`. */
export interface EncryptOptions extends WrapOptions {
  /** Names a group of values, for example by a customer's id. Values of different scopes never share a data key. */
  readonly scope?: string | undefined;
  /**
   * Names and values that are authenticated with the encrypted value. Decryption needs the same context. Do not put
   * secrets into a context.
   */
  readonly context?: Context | undefined;
  /** If true, the value is encrypted under a new data key that no other value uses. */
  readonly fresh?: boolean | undefined;
}

/** The form of an encrypted value: `bundle` is an object with five members, `bytes` is the envelope. */
export type EncryptedForm = 'bundle' | 'bytes';
/** The type of an encrypted value: `Uint8Array` for the form `bytes`, and `Bundle` for the form `bundle`. */
export type EncryptedAs<Form extends EncryptedForm> = Form extends 'bytes' ? Uint8Array : Bundle;

/** The form of a decrypted value: text or bytes. */
export type DecryptedForm = 'bytes' | 'text';
/** The type of a decrypted value: `string` for the form `text`, and `Uint8Array` for the form `bytes`. */
export type DecryptedAs<Form extends DecryptedForm> = Form extends 'text' ? string : Uint8Array;

/** The form of the result. Defaults to `bundle` for encrypted and `bytes` for decrypted values. */
export interface As<Form extends EncryptedForm | DecryptedForm> {
  readonly as?: Form | undefined;
}

/** Options of `decrypt`. */
export interface DecryptOptions extends UnwrapOptions, ExpectedKeyOptions {
  /** The context with which the value was encrypted. */
  readonly context?: Context | undefined;
}

/** Options of `hash`. */
export interface HashOptions extends CallOptions, KeyOption {}

/** Options of `wrap`. */
export interface WrapOptions extends UnwrapOptions, KeyOption {}

/** A value for `encryptMany`. The `context` and the `subject` of an item replace those of the call. */
export type EncryptItem =
  | string
  | Uint8Array
  | ({ readonly value: string | Uint8Array; readonly context?: Context | undefined } & SubjectOption);

/** A ciphertext for `decryptMany`. The `context` and the `subject` of an item replace those of the call. */
export type DecryptItem =
  | string
  | Uint8Array
  | ({ readonly ciphertext: string | Uint8Array; readonly context?: Context | undefined } & SubjectOption);

/**
 * Options of `prime`, which fetches data keys for synchronous calls. `keyId` can be a list: `prime` then fetches the
 * data key for `encryptSync` under the first key, and accepts ciphertexts under every key of the list.
 */
export interface PrimeOptions extends UnwrapOptions, Pick<EncryptOptions, 'scope'>, ExpectedKeyOptions {
  /** The ciphertexts whose data keys `prime` fetches for `decryptSync`. */
  readonly ciphertexts?: Iterable<Ciphertext> | undefined;
  /** Whether `prime` fetches a data key for `encryptSync`. Defaults to true if no ciphertexts are passed. */
  readonly encrypt?: boolean | undefined;
  /**
   * If true, the client replaces the data key for encryption before it reaches a limit, such as its maximum age. The
   * client keeps replacing data keys until `close` is called. If the clock jumps forward, `encryptSync` uses the current
   * data key until the next one arrives.
   */
  readonly keep?: boolean | undefined;
}

export type FormOf<C extends Ciphertext> = C extends { readonly ciphertext: infer T } ? T : C;

/** The result of `rewrap`: a ciphertext whose data key is wrapped under the newest version of its key. */
export interface Rewrapped<C = string | Uint8Array> {
  readonly ciphertext: C;
  readonly wrapped_key: string;
  readonly key_id: string;
  readonly key_version: number;
  /**
   * False if the data key was already wrapped under the newest key version. In this case the ciphertext is unchanged.
   */
  readonly rewrapped: boolean;
}

export const callOptions: OptionRules<CallOptions> = { signal };
export const hashOptions: OptionRules<HashOptions> = { signal, keyId };
export const unwrapOptions: OptionRules<UnwrapOptions> = { signal, subject: somebody, wrapContext: context };
// A function without effects, because bundlers cannot remove an unused object that is written with spread syntax.
const and = <One, Other>(one: One, other: Other): One & Other => ({ ...one, ...other });
export const wrapOptions: OptionRules<WrapOptions> = /* @__PURE__ */ and(unwrapOptions, { keyId });
export const encryptOptions: OptionRules<EncryptOptions & As<EncryptedForm>> = /* @__PURE__ */ and(
  wrapOptions,
  { scope: text, as: anything, context, fresh: flag },
);
export const decryptOptions: OptionRules<DecryptOptions & As<DecryptedForm>> = /* @__PURE__ */ and(
  unwrapOptions,
  { keyId: keyIds, as: anything, context, anyKey: flag },
);
export const primeOptions: OptionRules<PrimeOptions> = /* @__PURE__ */ and(unwrapOptions, {
  keyId: keyIds,
  scope: text,
  anyKey: flag,
  ciphertexts: iterable,
  encrypt: flag,
  keep: flag,
});

type ObjectIn<Item> = Exclude<Item, string | Uint8Array>;
export const encryptItem: OptionRules<ObjectIn<EncryptItem>> = {
  value: anything,
  context,
  subject: somebody,
};
export const decryptItem: OptionRules<ObjectIn<DecryptItem> & Bundle> = {
  ciphertext: anything,
  context,
  subject: somebody,
  wrapped_key: anything,
  iv: anything,
  key_id: anything,
  key_version: anything,
};
