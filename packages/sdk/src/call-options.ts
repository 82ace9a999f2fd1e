import { type Context, InputError } from '@eaas/protocol';
import type { Ciphertext } from './ciphertext.ts';
import type { CallOptions } from './transport.ts';

interface Kept extends CallOptions {
  /** Keeps data keys apart: what one scope uses, another never does. */
  readonly scope?: string | undefined;
  /** Bound to the data key by the service, which then unwraps it for nothing else. `/v1/decrypt` does not open such a value. */
  readonly wrapContext?: Context | undefined;
}

/** The key to use, where it is not the client's. */
interface KeyOption {
  readonly keyId?: string | undefined;
}

/** How a value is encrypted. */
export interface EncryptOptions extends Kept, KeyOption {
  /** Authenticated with the value and needed to decrypt it, but not hidden. */
  readonly context?: Context | undefined;
  /** A data key for this message alone. */
  readonly fresh?: boolean | undefined;
}

/** How a value is decrypted: by which keys, and where it is expected. */
export interface DecryptOptions extends Kept {
  /** The key, or keys, that the value may be encrypted under; the client's where absent. */
  readonly keyId?: string | readonly string[] | undefined;
  /** Said aloud: any key will do. */
  readonly anyKey?: boolean | undefined;
  readonly context?: Context | undefined;
}

/** Under which key a value is hashed. */
export interface HashOptions extends CallOptions, KeyOption {}

/** Under which key a DEK is wrapped, and what it is bound to. */
export interface WrapOptions extends CallOptions, KeyOption {
  /** Bound to the DEK: it unwraps with the very same only. */
  readonly wrapContext?: Context | undefined;
}

/** One value of many, with a context of its own where it needs one. */
export type EncryptItem =
  | string
  | Uint8Array
  | { readonly value: string | Uint8Array; readonly context?: Context | undefined };

/** One ciphertext of many, with a context of its own where it needs one. */
export type DecryptItem =
  | string
  | Uint8Array
  | { readonly ciphertext: string | Uint8Array; readonly context?: Context | undefined };

/** Which data keys synchronous calls are going to need. */
export interface PrimeOptions extends Kept, KeyOption {
  /** Make their data keys ready for `decryptSync`. */
  readonly ciphertexts?: Iterable<Ciphertext> | undefined;
  /** Make a data key ready for `encryptSync`: unless only ciphertexts are given. */
  readonly encrypt?: boolean | undefined;
  /** Renew the data key that encrypts before it expires, until the client is closed. */
  readonly keep?: boolean | undefined;
}

/** A ciphertext as it was given: text, or bytes. */
export type FormOf<C extends Ciphertext> = C extends { readonly ciphertext: infer T } ? T : C;

/** A ciphertext whose data key was wrapped under the newest version of its key. */
export interface Rewrapped<C = string | Uint8Array> {
  readonly ciphertext: C;
  readonly wrapped_key: string;
  readonly key_id: string;
  readonly key_version: number;
  /** False where it was already under the newest: then nothing changed. */
  readonly rewrapped: boolean;
}

const known = /^(keyId|anyKey|context|scope|wrapContext|fresh|signal|ciphertexts|encrypt|keep)$/;

/** Throws InputError for an option that there is none of: a misspelled `context` must not be ignored. */
export function requireKnown(options: object): void {
  for (const name in options) {
    if (!known.test(name) && Object.hasOwn(options, name))
      throw new InputError(`there is no option \`${name.slice(0, 64)}\``);
  }
}
