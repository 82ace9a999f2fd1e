// The client of an app without its administration: it joins the transport, the data keys and the calls that encrypt and decrypt.
/// <reference lib="esnext.disposable" preserve="true" />
import {
  InputError,
  type OptionRules,
  requireKind,
  requireOptions,
  type Wrapped,
} from '@eaas/protocol/internal';
import { reportOf } from '../audit/query.ts';
import type { ReportOptions, ReportRow } from '../audit/report.ts';
import type { Dropped } from '../data-keys/cache.ts';
import { Erasures } from '../data-keys/erasures.ts';
import { limitsOf } from '../data-keys/limits.ts';
import { aborted, closedError, type Settled, once } from '../errors.ts';
import { halvesOf, refuseHalf } from '../half/options.ts';
import { loadSignIn } from '../sign-in/options.ts';
import { abortable } from '../http/abortable.ts';
import {
  createDataKeyCalls,
  type DataKeyCalls,
  type HashOptions,
  hashOptions,
  type UnwrapOptions,
  unwrapOptions,
  type WrapOptions,
  wrapOptions,
} from '../data-keys/calls.ts';
import {
  type Authorize,
  type Call,
  type CallOptions,
  type Connection,
  createTransport,
  patienceOf,
} from '../http/transport.ts';
import { type Caller, keyIds, person, requireCall, requireKeyId } from '../caller.ts';
import { type Ciphertext, copied, type EncryptedAs, type EncryptedForm } from '../data-keys/ciphertext.ts';
import { type ClientOptions, enginesOf } from './client-options.ts';
import {
  createDecrypter,
  type DecryptedAs,
  type DecryptedForm,
  type DecryptItem,
  type DecryptOptions,
  type ExpectedKeyOptions,
} from './decrypt.ts';
import { createEncrypter, type EncryptItem, type EncryptOptions } from './encrypt.ts';
import { createEmit, untraced } from '../events.ts';
import { type Inside, inside, inspect } from './inside.ts';

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

const primeOptions: OptionRules<PrimeOptions> = {
  ...unwrapOptions,
  keyId: keyIds,
  scope: 'text',
  anyKey: 'flag',
  ciphertexts: 'iterable',
  encrypt: 'flag',
  keep: 'flag',
};

/** The audit log as a signed-in user may read it. The issuer needs the permission `audit.own`. */
export interface OwnAudit {
  /**
   * Yields what happened with the data of the signed-in user, newest first: the time, the action, the id of the user who
   * acted and the outcome. Throws InputError for a client without `issuer` and `token`.
   */
  report(options?: ReportOptions): AsyncGenerator<ReportRow, void, undefined>;
}

interface Parts extends Pick<Inside, 'engines' | 'halves' | 'emit'>, Pick<Connection, 'baseUrl'> {
  readonly calls: DataKeyCalls;
  readonly encrypter: ReturnType<typeof createEncrypter>;
  readonly decrypter: ReturnType<typeof createDecrypter>;
  /** Asks the sign-in of the app, if the client uses one, who is signed in. The result throws if it is another user now. */
  readonly ask: ((signal: AbortSignal | undefined) => Promise<() => void>) | undefined;
  isClosed?: boolean;
}

/**
 * Encrypts and decrypts in this process, with data keys that the service wraps and unwraps. The service never sees a
 * plaintext, except values that you pass to `hash`, and searchable values of fields with `index: 'service'`. The client
 * reuses data keys within limits, requests many data keys in one batch, and overwrites data keys after use.
 *
 * @example
 * ```ts
 * import type { EnvelopeClient } from '@eaas/sdk';
 *
 * // Takes an `EaasClient`, and the client of a page.
 * async function seal(client: EnvelopeClient, text: string) {
 *   return await client.encrypt(text);
 * }
 * console.log((await seal(eaas, 'hello')).slice(0, 4)); // eaas
 * ```
 */
export class EnvelopeClient {
  /** The id of the default key, which calls without `keyId` use to encrypt and to decrypt. */
  readonly keyId: string | undefined;
  /** Shows the signed-in user what happened with their own data. */
  readonly audit: OwnAudit = { report: (options) => reportOf(this.call, this.caller.signsIn, options, true) };
  protected readonly call: Call;
  /** No private members, because the clients that `as` returns inherit these from this one. */
  protected readonly parts: Parts;
  protected readonly caller: Caller;

  constructor(options: ClientOptions & Connection & { readonly halfId?: string | undefined }) {
    const emit = createEmit(options);
    const { token } = options;
    const signIn = once(async () => (await loadSignIn()).createSignIn(options, () => this.drop(true)));
    const authorize: Authorize = async (route, input, send) =>
      (token ? await signIn() : options).authorize(route, input, send);
    const call = createTransport(options, authorize, emit);
    const patience = patienceOf(options);
    const limits = limitsOf(options.cache, patience.total);
    const engines = enginesOf(options.engines, emit);
    this.call = async (route, input, options) => {
      if (this.parts.isClosed) throw closedError();
      return call(route, input, options);
    };
    const halves = halvesOf(limits, options.half, options.halfId);
    const signsIn = !!token && options.subject !== null;
    this.keyId = options.keyId;
    this.caller = { keyId: this.keyId, requireUser: options.requireUser, signsIn };
    const erasures = new Erasures((subject) => {
      this.parts.encrypter.drop(subject);
      this.parts.decrypter.drop(subject);
    });
    const { tracing = untraced } = options;
    const calls = createDataKeyCalls(this.call, patience, erasures, tracing, halves);
    this.parts = {
      baseUrl: options.baseUrl,
      engines,
      halves,
      calls,
      emit: options.onEvent || options.logger ? emit : undefined,
      encrypter: createEncrypter(calls, engines, limits, emit),
      decrypter: createDecrypter(calls, engines, limits, emit),
      ask:
        token &&
        ((signal) => {
          const asked = signIn().then(({ ask }) => ask());
          return abortable(asked, signal, limits.patience);
        }),
    };
  }

  /** The user on whose behalf this client acts: the argument of `as`. */
  get user(): string | undefined {
    return this.caller.user;
  }

  /** What logs show of a client: its class, its key id and the address of the service. */
  toJSON(): object {
    return { client: this.constructor.name, keyId: this.keyId, baseUrl: this.parts.baseUrl };
  }

  /** @ignore */
  [inspect](): object {
    return this.toJSON();
  }

  /** @ignore */
  get [inside](): Inside {
    const { engines, halves, emit, ask, decrypter, isClosed } = this.parts;
    const needsUser = this.caller.requireUser === true && this.user === undefined;
    // With a sign-in, the data keys in memory can be those of a user who has left.
    const openerFor = ask
      ? undefined
      : (options: DecryptOptions) => decrypter.openerFor(this.caller, options);
    return { engines, halves, emit, openerFor, needsUser, isClosed };
  }

  /**
   * Returns a client that acts on behalf of a user of the app: the audit log then says who reads whose data. It shares
   * everything with this client, also `close`; only the data keys for decryption are each user's own. The end of an `await
   * using` block does not close it.
   * Pass an opaque id, never an e-mail address. The service does not check it.
   *
   * @example
   * ```ts
   * const nurse = eaas.as('user-42'); // the audit log names this user
   * const ciphertext = await nurse.encrypt('dry cough', { context: { patient: '7' } });
   * console.log(await nurse.decrypt(ciphertext, { as: 'text', context: { patient: '7' } })); // dry cough
   * ```
   */
  as(user: string): this {
    requireKind(person, user, '`user`');
    if (this.caller.signsIn) throw new InputError('the token names the user: do not call `as`');
    const dispose = { value: async () => {} };
    const caller = { value: { ...this.caller, user } };
    return Object.create(this, { caller, [Symbol.asyncDispose]: dispose }) as this;
  }

  /**
   * Encrypts text or bytes. Returns the ciphertext, a string to store. With `as: 'bytes'`, returns bytes. Pass a
   * `context` that names the row, and pass the same context to `decrypt`. Throws ServiceError if the client needs a new
   * data key, but the service refuses to wrap this data key or cannot be reached.
   *
   * @example
   * ```ts
   * const ciphertext = await eaas.encrypt('123-45-6789', { context: { table: 'patients', id: '7' } });
   * const bytes = await eaas.encrypt(new Uint8Array([1, 2, 3]), { as: 'bytes' });
   * ```
   */
  encrypt<Form extends EncryptedForm = 'text'>(
    value: string | Uint8Array,
    options: EncryptOptions<Form> = {},
  ): Promise<EncryptedAs<Form>> {
    return this.asking(this.parts.encrypter.encrypt, value, options);
  }

  /**
   * Encrypts many values. The results are in the order of the values. If one value fails, the others still succeed. But if a
   * request to the service fails, the call sends no further ones: all values that still need a data key fail with its error.
   *
   * @example
   * ```ts
   * const results = await eaas.encryptMany([
   *   { value: 'Ada', context: { id: '1' } },
   *   { value: 'Grace', context: { id: '2' } },
   * ]);
   * for (const result of results) if (result.ok) await store(result.value);
   * ```
   */
  encryptMany<Form extends EncryptedForm = 'text'>(
    items: readonly EncryptItem[],
    options: EncryptOptions<Form> = {},
  ): Promise<Settled<EncryptedAs<Form>>[]> {
    return this.asking(this.parts.encrypter.encryptMany, items, options);
  }

  /**
   * Encrypts without waiting, under a data key from `prime`. Throws ClientError `not_primed` if no data key is
   * in memory. Always throws for the option `fresh`, because a fresh data key needs a request.
   *
   * @example
   * ```ts
   * await eaas.prime();
   * const ciphertext = eaas.encryptSync('hello');
   * console.log(eaas.decryptSync(ciphertext, { as: 'text' })); // hello
   * ```
   */
  encryptSync<Form extends EncryptedForm = 'text'>(
    value: string | Uint8Array,
    options: EncryptOptions<Form> = {},
  ): EncryptedAs<Form> {
    if (this.parts.isClosed) throw closedError();
    return this.parts.encrypter.encryptSync(value, this.caller, options) as EncryptedAs<Form>;
  }

  /**
   * Decrypts a ciphertext. Returns bytes, or text with `as: 'text'`. Pass the same `context` as to `encrypt`. Throws
   * FormatError if the value is not a ciphertext. Throws DecryptionError if the ciphertext was altered or belongs to
   * another key or context. Throws ServiceError if the service refuses to unwrap the data key or cannot be reached.
   *
   * @example
   * ```ts
   * const ciphertext = await eaas.encrypt('123-45-6789', { context: { id: '7' } });
   * const text = await eaas.decrypt(ciphertext, { as: 'text', context: { id: '7' } });
   * console.log(text); // 123-45-6789
   * ```
   */
  decrypt<Form extends DecryptedForm = 'bytes'>(
    ciphertext: Ciphertext,
    options: DecryptOptions<Form> = {},
  ): Promise<DecryptedAs<Form>> {
    return this.asking(this.parts.decrypter.decrypt, ciphertext, options);
  }

  /**
   * Decrypts many ciphertexts. The results are in the order of the items. If one item fails, the others still succeed.
   *
   * @example
   * ```ts
   * const ciphertext = await eaas.encrypt('Ada');
   * const [good, bad] = await eaas.decryptMany([ciphertext, 'hello'], { as: 'text' });
   * if (good?.ok) console.log(good.value); // Ada
   * if (bad && !bad.ok) console.log(bad.error.code); // format
   * ```
   */
  decryptMany<Form extends DecryptedForm = 'bytes'>(
    items: readonly DecryptItem[],
    options: DecryptOptions<Form> = {},
  ): Promise<Settled<DecryptedAs<Form>>[]> {
    return this.asking(this.parts.decrypter.decryptMany, items, options);
  }

  /**
   * Decrypts without waiting. Throws ClientError `not_primed` if the data key of the ciphertext is not in memory.
   *
   * @example
   * ```ts
   * const ciphertext = await eaas.encrypt('hello');
   * await eaas.prime({ ciphertexts: [ciphertext] });
   * console.log(eaas.decryptSync(ciphertext, { as: 'text' })); // hello
   * ```
   */
  decryptSync<Form extends DecryptedForm = 'bytes'>(
    ciphertext: Ciphertext,
    options: DecryptOptions<Form> = {},
  ): DecryptedAs<Form> {
    if (this.parts.isClosed) throw closedError();
    return this.parts.decrypter.decryptSync(ciphertext, this.caller, options) as DecryptedAs<Form>;
  }

  /**
   * Fetches the data keys for synchronous calls, such as `encryptSync`. Where the platform has no synchronous cipher, as in a
   * page, also loads one in JavaScript.
   *
   * @example
   * ```ts
   * await eaas.prime({ keep: true }); // at the start of the app
   * const ciphertext = eaas.encryptSync('hello'); // from then on
   * ```
   */
  async prime(options: PrimeOptions = {}): Promise<void> {
    requireCall(primeOptions, options, 'prime', this.caller);
    await this.parts.ask?.(options.signal);
    if (options.signal?.aborted) throw aborted();
    const { keyId = this.keyId, ciphertexts = [], encrypt = !options.ciphertexts, keep = false } = options;
    await Promise.all([
      encrypt && this.parts.encrypter.prime(this.caller, { ...options, keyId: [keyId].flat()[0] }, keep),
      this.parts.decrypter.prime(ciphertexts, this.caller, options),
    ]);
  }

  /**
   * Returns a fingerprint of a value, for searches. The same value always has the same fingerprint. The service sees
   * the value, so pass only values that you search by. Do not pass values that can be guessed (a date of birth, a
   * postal code).
   *
   * @example
   * ```ts
   * const fingerprint = await eaas.hash('ada@example.com');
   * console.log(fingerprint === (await eaas.hash('ada@example.com'))); // true
   * ```
   */
  async hash(value: string, options: HashOptions = {}): Promise<string> {
    requireOptions(hashOptions, options, 'hash');
    refuseHalf(this.parts.halves, 'hash', 'search by an index key of `createIndexKey`');
    return this.parts.calls.hash(value, requireKeyId(options.keyId ?? this.keyId), options);
  }

  /**
   * Asks the service to wrap a data key (DEK, 32 bytes) that the app generated. Overwrite the DEK after use.
   *
   * @example
   * ```ts
   * const dek = crypto.getRandomValues(new Uint8Array(32));
   * const wrapped = await eaas.wrap(dek); // store it beside what you encrypt with `dek`
   * dek.fill(0);
   * ```
   */
  async wrap(dek: Uint8Array, options: WrapOptions = {}): Promise<Wrapped> {
    requireCall(wrapOptions, options, 'wrap', this.caller);
    const { user } = this.caller;
    const keyId = requireKeyId(options.keyId ?? this.keyId);
    return this.parts.calls.wrap(dek, { ...options, keyId, user }, options);
  }

  /**
   * Asks the service to unwrap a DEK. Overwrite the DEK after use. Throws DecryptionError if authentication fails.
   *
   * @example
   * ```ts
   * const wrapped = await eaas.wrap(crypto.getRandomValues(new Uint8Array(32)));
   * const dek = await eaas.unwrap(wrapped);
   * console.log(dek.length); // 32
   * dek.fill(0);
   * ```
   */
  async unwrap(wrapped: Wrapped, options: UnwrapOptions = {}): Promise<Uint8Array> {
    requireCall(unwrapOptions, options, 'unwrap', this.caller);
    return this.parts.calls.unwrap(wrapped, options, this.caller);
  }

  /**
   * Encrypts or decrypts. With a sign-in, first asks who is signed in, because the data keys in memory can be those of a
   * user who has left. Copies the values for as long.
   */
  protected asking<Given, Options extends CallOptions, T>(
    work: (given: Given, caller: Caller, options: Options) => Promise<unknown>,
    given: Given,
    options: Options,
  ): Promise<T> {
    const { ask, isClosed } = this.parts;
    const start = work as (given: Given, caller: Caller, options: Options) => Promise<T>;
    if (!ask || isClosed) return start(given, this.caller, options);
    const asked = async (): Promise<T> => {
      const own = copied({ given, options });
      const requireSame = await ask(own.options.signal);
      const result = await start(own.given, this.caller, own.options);
      requireSame();
      return result;
    };
    return asked();
  }

  /** Overwrites data keys. Calls that wait for one still get it. */
  protected drop(subject: Dropped): void {
    this.parts.halves?.drop();
    this.parts.encrypter.drop(subject);
    this.parts.decrypter.drop(subject);
  }

  /**
   * Closes the client and overwrites every data key. Later calls throw ClientError `closed`.
   *
   * @example
   * ```ts
   * import { EaasClient } from '@eaas/sdk';
   *
   * const client = new EaasClient();
   * await client.encrypt('hello');
   * await client.close(); // or `await using client = new EaasClient()`
   * ```
   */
  async close(): Promise<void> {
    this.parts.isClosed = true;
    this.parts.halves?.drop();
    this.parts.encrypter.close();
    this.parts.decrypter.close();
  }

  /** Closes the client at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
