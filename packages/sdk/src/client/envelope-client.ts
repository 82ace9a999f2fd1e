/// <reference lib="esnext.disposable" preserve="true" />
import { pae, toUtf8, type Wrapped } from '@eaas/protocol';
import { readBase64, toBase64 } from '@eaas/protocol/base64';
import { requireOptions } from '@eaas/protocol/internal-options';
import type { BlindHashOptions, Hash } from '../blind-hash/hasher.ts';
import type { Engines } from '../engines/engines.ts';
import { closedError, load, type Settled, settleEach, unreadable } from '../errors.ts';
import {
  type As,
  type DecryptedAs,
  type DecryptedForm,
  type DecryptItem,
  type DecryptOptions,
  type EncryptedAs,
  type EncryptedForm,
  type EncryptItem,
  type EncryptOptions,
  type HashOptions,
  hashOptions,
  type PrimeOptions,
  primeOptions,
  type UnwrapOptions,
  unwrapOptions,
  type WrapOptions,
  wrapOptions,
} from '../options/call-options.ts';
import { enginesOf, type EnvelopeClientOptions, limitsOf } from '../options/client-options.ts';
import { requireKeyId } from '../options/key-id.ts';
import { abortable } from '../transport/abortable.ts';
import { createDataKeyCalls, type DataKeyCalls } from '../transport/data-key-calls.ts';
import { type Call, type CallOptions, patienceOf, type TransportOptions } from '../transport/transport.ts';
import { type Ciphertext, requireValue } from './ciphertext.ts';
import { createDecrypter } from './decrypt.ts';
import { createEncrypter } from './encrypt.ts';
import { type Emit, observed } from './events.ts';

/**
 * Encrypts and decrypts in this process, with data keys that the service wraps and unwraps. The service never sees a
 * plaintext, except values that you pass to `hash`, and searchable values of fields with `index: 'service'`. The client
 * reuses data keys within limits, requests many data keys in one batch, and overwrites data keys after use.
 */
export class EnvelopeClient {
  /** The id of the default key, which calls without `keyId` use to encrypt and to decrypt. */
  readonly keyId: string | undefined;
  /** The implementations of AES-GCM that the client uses. */
  readonly engines: Engines;
  protected readonly call: Call;
  readonly #calls: DataKeyCalls;
  readonly #encrypter: ReturnType<typeof createEncrypter>;
  readonly #decrypter: ReturnType<typeof createDecrypter>;
  readonly #blindHash: ReturnType<typeof createBlindHashes>;
  #closed = false;

  constructor(
    call: Call,
    options: EnvelopeClientOptions & Pick<TransportOptions, 'timeouts' | 'retries'>,
    emit: Emit,
  ) {
    if (options.onEvent || options.logger) observed.set(this, emit);

    const limits = limitsOf(options.cache, patienceOf(options).total);
    this.engines = enginesOf(options.engines, emit);
    this.call = async (route, input, options) => {
      if (this.#closed) throw closedError();
      return call(route, input, options);
    };
    this.keyId = options.keyId && requireKeyId(options.keyId);
    this.#calls = createDataKeyCalls(this.call, patienceOf(options));
    this.#encrypter = createEncrypter(this.#calls, this.engines, limits, emit);
    this.#decrypter = createDecrypter(this.#calls, this.engines, limits, emit);
    this.#blindHash = createBlindHashes(this.call, options);
  }

  /**
   * Encrypts text or bytes. Returns a bundle: store its `ciphertext`. With `as: 'bytes'`, returns bytes. Pass a
   * `context` that names the row, and pass the same context to `decrypt`. Throws ServiceError if the client needs a new
   * data key, but the service refuses to wrap this data key or cannot be reached.
   */
  encrypt<Form extends EncryptedForm = 'bundle'>(
    value: string | Uint8Array,
    options: EncryptOptions & As<Form> = {},
  ): Promise<EncryptedAs<Form>> {
    return this.#encrypter.encrypt(value, this.keyId, options) as Promise<EncryptedAs<Form>>;
  }

  /** Encrypts many values. The results are in the order of the values. If one value fails, the others still succeed. */
  encryptMany<Form extends EncryptedForm = 'bundle'>(
    items: readonly EncryptItem[],
    options: EncryptOptions & As<Form> = {},
  ): Promise<Settled<EncryptedAs<Form>>[]> {
    return this.#encrypter.encryptMany(items, this.keyId, options) as Promise<Settled<EncryptedAs<Form>>[]>;
  }

  /**
   * Encrypts without waiting, under a data key from `prime`. Throws ClientError `not_primed` if no data key from
   * `prime` is in memory. Always throws for the option `fresh`, because a fresh data key needs a request.
   */
  encryptSync<Form extends EncryptedForm = 'bundle'>(
    value: string | Uint8Array,
    options: EncryptOptions & As<Form> = {},
  ): EncryptedAs<Form> {
    if (this.#closed) throw closedError();
    return this.#encrypter.encryptSync(value, this.keyId, options) as EncryptedAs<Form>;
  }

  /**
   * Decrypts a ciphertext. Returns bytes, or text with `as: 'text'`. Pass the same `context` as to `encrypt`. Throws
   * FormatError if the value is not a ciphertext. Throws DecryptionError if the ciphertext was altered or belongs to
   * another key or context. Throws ServiceError if the service refuses to unwrap the data key or cannot be reached.
   */
  decrypt<Form extends DecryptedForm = 'bytes'>(
    ciphertext: Ciphertext,
    options: DecryptOptions & As<Form> = {},
  ): Promise<DecryptedAs<Form>> {
    return this.#decrypter.decrypt(ciphertext, this.keyId, options) as Promise<DecryptedAs<Form>>;
  }

  /** Decrypts many ciphertexts. The results are in the order of the items. If one item fails, the others still succeed. */
  decryptMany<Form extends DecryptedForm = 'bytes'>(
    items: readonly DecryptItem[],
    options: DecryptOptions & As<Form> = {},
  ): Promise<Settled<DecryptedAs<Form>>[]> {
    return this.#decrypter.decryptMany(items, this.keyId, options) as Promise<Settled<DecryptedAs<Form>>[]>;
  }

  /** Decrypts without waiting. Throws ClientError `not_primed` if the data key of the ciphertext is not in memory. */
  decryptSync<Form extends DecryptedForm = 'bytes'>(
    ciphertext: Ciphertext,
    options: DecryptOptions & As<Form> = {},
  ): DecryptedAs<Form> {
    if (this.#closed) throw closedError();
    return this.#decrypter.decryptSync(ciphertext, this.keyId, options) as DecryptedAs<Form>;
  }

  /** Fetches the data keys for synchronous calls. If the platform has no synchronous cipher, also loads noble. */
  async prime(options: PrimeOptions = {}): Promise<void> {
    requireOptions(primeOptions, options, 'prime');
    const { keyId = this.keyId, ciphertexts = [], encrypt = !options.ciphertexts, keep = false } = options;
    await Promise.all([
      encrypt && this.#encrypter.prime([keyId].flat()[0], options, keep),
      this.#decrypter.prime(ciphertexts, this.keyId, options),
    ]);
  }

  /**
   * Returns a fingerprint of a value, for searches. The same value always has the same fingerprint. The service sees
   * the value, so pass only values that you search by. Do not pass values that can be guessed (a date of birth, a
   * postal code).
   */
  async hash(value: string, options: HashOptions = {}): Promise<string> {
    requireOptions(hashOptions, options, 'hash');
    return this.#calls.hash(value, requireKeyId(options.keyId ?? this.keyId), options);
  }

  /** Returns the fingerprints of many values, in their order. If one value fails, the others still succeed. */
  async hashMany(values: readonly string[], options: HashOptions = {}): Promise<Settled<string>[]> {
    requireOptions(hashOptions, options, 'hashMany');
    return settleEach(values, (value) => this.hash(value, options));
  }

  /**
   * Returns a fingerprint of a value, for searches. The client sends only a blinded form of the value, so the service
   * never sees the value. The same value always has the same fingerprint. `hash` returns a different fingerprint.
   * Throws EaasError `proof_invalid` or `public_key_changed` if the response was not computed with the expected key.
   */
  async blindHash(value: string | Uint8Array, options: HashOptions = {}): Promise<string> {
    requireOptions(hashOptions, options, 'blindHash');
    return this.#blindHash(value, requireKeyId(options.keyId ?? this.keyId), options);
  }

  /** Returns the blind hashes of many values, in the order of the values. Up to 100 values share a request. */
  async blindHashMany(
    values: readonly (string | Uint8Array)[],
    options: HashOptions = {},
  ): Promise<Settled<string>[]> {
    requireOptions(hashOptions, options, 'blindHashMany');
    return settleEach(values, (value) => this.blindHash(value, options));
  }

  /** Asks the service to wrap a data key (DEK, 32 bytes) that the app generated. Overwrite the DEK after use. */
  async wrap(dek: Uint8Array, options: WrapOptions = {}): Promise<Wrapped> {
    requireOptions(wrapOptions, options, 'wrap');
    return this.#calls.wrap(dek, { ...options, keyId: requireKeyId(options.keyId ?? this.keyId) }, options);
  }

  /** Asks the service to unwrap a DEK. Overwrite the DEK after use. Throws DecryptionError if authentication fails. */
  async unwrap(wrapped: Wrapped, options: UnwrapOptions = {}): Promise<Uint8Array> {
    requireOptions(unwrapOptions, options, 'unwrap');
    return this.#calls.unwrap(wrapped, options);
  }

  /** Closes the client and overwrites every data key. Later calls throw ClientError `closed`. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#encrypter.close();
    this.#decrypter.close();
  }

  /** Closes the client at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

export function createBlindHashes(call: Call, options: BlindHashOptions) {
  let loading: Promise<Hash> | undefined;
  const loadHasher = () =>
    (loading ??= load('blind hashes', import('../blind-hash/hasher.ts')).then(
      ({ createHasher }) => createHasher(options, { call, unreadable, pae, readBase64, toBase64 }),
      (error: unknown) => {
        loading = undefined;
        throw error;
      },
    ));

  return (value: string | Uint8Array, keyId: string, { signal }: CallOptions): Promise<string> => {
    requireValue(value);
    // Copies the bytes, because the caller can overwrite them while the module for blind hashes is loaded.
    const bytes = typeof value === 'string' ? toUtf8(value) : new Uint8Array(value);
    const hashing = loadHasher().then((hash) => hash(bytes, keyId, signal));
    return abortable(hashing, signal);
  };
}
