/// <reference lib="esnext.disposable" preserve="true" />
import { type Context, InputError, type Wrapped } from '@eaas/protocol';
import { engines as fastest } from '#engines';
import {
  type DecryptItem,
  type DecryptOptions,
  type EncryptItem,
  type EncryptOptions,
  type HashOptions,
  type PrimeOptions,
  requireKnown,
  type WrapOptions,
} from './call-options.ts';
import { type Bundle, type Ciphertext, sealBundle, sealBytes } from './ciphertext.ts';
import { createDataKeyCalls, type DataKeyCalls, type UnwrapOptions } from './data-key-calls.ts';
import type { Engines } from './engines.ts';
import { closedError, type Settled } from './errors.ts';
import type { Emit } from './events.ts';
import { createOpening, type Opening, textOf } from './opening.ts';
import { type EnvelopeClientOptions, limitsOf } from './options.ts';
import { createSealing, requireKeyId, type Sealing } from './sealing.ts';
import { settle } from './settled.ts';
import { type Call, patienceOf, type TransportOptions } from './transport.ts';

/**
 * Encrypts and decrypts here, in this process: the service wraps and unwraps the data keys, each under the key that is
 * named, and never sees a plaintext. Data keys are reused within limits, fetched together, and overwritten in the end.
 */
export class EnvelopeClient {
  /** The key that is used, and expected, where a call names none. */
  readonly keyId: string | undefined;
  /** Where the primitives come from. */
  readonly engines: Engines;
  /** A call of the API. Throws EaasError, `closed` after `close`. */
  protected readonly call: Call;
  readonly #calls: DataKeyCalls;
  readonly #sealing: Sealing;
  readonly #opening: Opening;
  #closed = false;

  constructor(call: Call, options: EnvelopeClientOptions & Pick<TransportOptions, 'timeouts'>, emit: Emit) {
    const { keyId, cache, engines } = options;
    const patience = patienceOf(options);
    const limits = limitsOf(cache, patience);
    this.engines = { ...fastest, ...engines };
    this.call = async (route, input, options) => {
      if (this.#closed) throw closedError();
      return call(route, input, options);
    };
    this.keyId = keyId;
    this.#calls = createDataKeyCalls(this.call, patience);
    this.#sealing = createSealing(this.#calls, this.engines, limits, emit);
    this.#opening = createOpening(this.#calls, this.engines, limits, emit);
  }

  /** Encrypts text or bytes. Throws EaasError when the service does not wrap a data key. */
  encrypt(value: string | Uint8Array, options: EncryptOptions = {}): Promise<Bundle> {
    return this.#sealing.seal(value, options.keyId ?? this.keyId, options, sealBundle);
  }

  /** As encrypt; answers the envelope's bytes, which take a quarter less room than their base64. */
  encryptBytes(value: string | Uint8Array, options: EncryptOptions = {}): Promise<Uint8Array> {
    return this.#sealing.seal(value, options.keyId ?? this.keyId, options, sealBytes);
  }

  /** Encrypts many: each result stands where its value stood, and fails alone. */
  encryptMany(items: readonly EncryptItem[], options: EncryptOptions = {}): Promise<Settled<Bundle>[]> {
    return Promise.all(
      items.map((item) => {
        // An item that is none fails alone, like any other.
        const { value = item, context = options.context } = Object(item) as {
          value?: string;
          context?: Context;
        };
        return settle(this.encrypt(value as string, { ...options, context }));
      }),
    );
  }

  /** Encrypts without waiting, under a data key that `prime` made ready. Throws EaasError `not_primed`. */
  encryptSync(value: string | Uint8Array, options: EncryptOptions = {}): Bundle {
    if (this.#closed) throw closedError();
    return this.#sealing.sealSync(value, options.keyId ?? this.keyId, options);
  }

  /**
   * Decrypts what either mode encrypted. Throws FormatError for what is no ciphertext, DecryptionError for one that
   * does not open, and EaasError when the service does not answer.
   */
  decrypt(ciphertext: Ciphertext, options: DecryptOptions = {}): Promise<Uint8Array> {
    return this.#opening.open(ciphertext, options.keyId ?? this.keyId, options);
  }

  /** As decrypt, for a value that was text. */
  async decryptText(ciphertext: Ciphertext, options?: DecryptOptions): Promise<string> {
    return textOf(await this.decrypt(ciphertext, options));
  }

  /** Decrypts many: each result stands where its ciphertext stood, and fails alone. */
  decryptMany(items: readonly DecryptItem[], options: DecryptOptions = {}): Promise<Settled<Uint8Array>[]> {
    return Promise.all(
      items.map((item) => {
        const { context = options.context } = Object(item) as { context?: Context };
        return settle(this.decrypt(item, { ...options, context }));
      }),
    );
  }

  /** Decrypts without waiting, under a data key that is in memory. Throws EaasError `not_primed`. */
  decryptSync(ciphertext: Ciphertext, options: DecryptOptions = {}): Uint8Array {
    if (this.#closed) throw closedError();
    return this.#opening.openSync(ciphertext, options.keyId ?? this.keyId, options);
  }

  /** As decryptSync, for a value that was text. */
  decryptTextSync(ciphertext: Ciphertext, options?: DecryptOptions): string {
    return textOf(this.decryptSync(ciphertext, options));
  }

  /** Fetches the data keys that synchronous calls are going to need: they expire like all others. */
  async prime(options: PrimeOptions = {}): Promise<void> {
    requireKnown(options);
    const { ciphertexts = [], encrypt = !options.ciphertexts, keep = false } = options;
    if (!this.engines.sync) {
      throw new InputError(
        'nothing here answers at once: `engines: { sync: nobleEngine }`, of @eaas/protocol',
      );
    }
    await Promise.all([
      encrypt && this.#sealing.prime(options.keyId ?? this.keyId, options, keep),
      this.#opening.prime(ciphertexts, options),
    ]);
  }

  /**
   * A fingerprint of the value, the same each time, to search for. The service sees the value: give it only the field
   * that you search, and nothing that could be guessed (a date of birth, a postal code).
   */
  async hash(value: string, options: HashOptions = {}): Promise<string> {
    return this.#calls.hash(value, requireKeyId(options.keyId ?? this.keyId), options);
  }

  /** Fingerprints many: each result stands where its value stood, and fails alone. */
  hashMany(values: readonly string[], options?: HashOptions): Promise<Settled<string>[]> {
    return Promise.all(values.map((value) => settle(this.hash(value, options))));
  }

  /** Has a DEK of your own wrapped: 32 bytes, that stay yours to overwrite. */
  async wrap(dek: Uint8Array, options: WrapOptions = {}): Promise<Wrapped> {
    return this.#calls.wrap(dek, { ...options, keyId: requireKeyId(options.keyId ?? this.keyId) }, options);
  }

  /** Has a DEK unwrapped: it is not kept, and yours to overwrite. Throws DecryptionError for what is not authentic. */
  unwrap(wrapped: Wrapped, options?: UnwrapOptions): Promise<Uint8Array> {
    return this.#calls.unwrap(wrapped, options);
  }

  /** Overwrites every data key, and refuses all calls from now on. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#sealing.close();
    this.#opening.close();
  }

  /** As close, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
