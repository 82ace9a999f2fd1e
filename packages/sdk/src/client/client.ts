// `EaasClient`: encrypts and decrypts like every client, and administers keys, API keys, sign-ins and people. It acts with an API
// key, or for a user of the app's sign-in.
import {
  having,
  InputError,
  isApiKey,
  type OptionRules,
  otherKindOf,
  requireKind,
  requireOptions,
} from '@eaas/protocol/internal';
import type { Input, Output } from '@eaas/protocol/wire';
import { withEnvironment } from '#environment';
import { type AuditLog, auditOf } from '../audit/methods.ts';
import { baseUrlOf, type Fetch } from '../http/connection.ts';
import { loadKinds } from '../http/all-kinds.ts';
import { credentialFailed, resultOf, ServiceError, type Settled } from '../errors.ts';
import { halfRule, refuseHalf } from '../half/options.ts';
import { isSignIn } from '../sign-in/options.ts';
import type { UnwrapOptions } from '../data-keys/calls.ts';
import { type Answer, type Authorize, type CallOptions, callOptions, patienceOf } from '../http/transport.ts';
import {
  apiKeyCalls,
  issuerCalls,
  keyCalls,
  serverModeCalls,
  type ServerModeCalls,
  subjectCalls,
} from './administration.ts';
import type { Ciphertext } from '../data-keys/ciphertext.ts';
import { EnvelopeClient } from './envelope-client.ts';
import { requireKeyId } from '../caller.ts';
import { type ClientOptions, clientOptions } from './client-options.ts';
import { createRewrapAll, type FormOf, type Rewrapped } from './rewrap.ts';

/** Options of `EaasClient`: the URL of the service, the API key, and the options of all clients. */
export interface EaasClientOptions extends ClientOptions {
  /**
   * The URL of the service. On Node, Deno and Bun, `baseUrl` defaults to EAAS_BASE_URL, and `keyId` to EAAS_KEY_ID.
   * `apiKey` defaults to EAAS_API_KEY only if `baseUrl` is not passed either.
   */
  readonly baseUrl?: string | URL | undefined;
  /** An API key, or a function that returns an API key. The client calls the function before every call. */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined;
  /**
   * A service inside this process, such as `createLocalService()` of `@eaas/local`, instead of `baseUrl`, `apiKey` and
   * `fetch`. Its default key is the default of `keyId`. The client then ignores the variables EAAS_BASE_URL,
   * EAAS_API_KEY and EAAS_KEY_ID, but reads EAAS_HALF like any other.
   */
  readonly service?: ServiceInProcess | undefined;
}

/** What a client needs of a service inside its process. */
export interface ServiceInProcess {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Responds to the requests of the client, if it has no `call`. */
  readonly fetch: Fetch;
  /** Answers the calls of the client, without requests. */
  readonly call?: Answer;
  /** The id of the default key. */
  readonly keyId?: string | undefined;
}

const eaasClientOptions: OptionRules<EaasClientOptions> = {
  ...clientOptions,
  baseUrl: 'anything',
  apiKey: 'anything',
  service: /* @__PURE__ */ having('what `createLocalService()` returns', 'fetch'),
};

/** The public key of the newest version of a key: what `client.publicKey` returns. */
export type PublicKeys = Output<'GET /v1/keys/:key_id/public-key'>;

/**
 * A client for the whole API. The client needs an API key, which a browser must not hold, so use
 * `createBrowserClient` of `@eaas/sdk/browser` in a page. With `issuer` and `token`, it acts for the user of your
 * app's own sign-in instead, and needs no API key. With `service`, such as `createLocalService` of `@eaas/local`, the keys are
 * in this process, and there is no server.
 *
 * @example
 * ```ts
 * import { EaasClient } from '@eaas/sdk';
 *
 * const eaas = new EaasClient(); // EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID
 * const ciphertext = await eaas.encrypt('123-45-6789', { context: { patient: '7' } });
 * console.log(await eaas.decrypt(ciphertext, { as: 'text', context: { patient: '7' } })); // 123-45-6789
 * ```
 */
export class EaasClient extends EnvelopeClient {
  /** Creates, rotates and retires keys. */
  readonly keys = keyCalls(this.call);
  /** Creates, changes and revokes API keys. */
  readonly apiKeys = apiKeyCalls(this.call);
  /** Creates, changes and revokes issuers: the sign-ins whose tokens the service accepts. */
  readonly issuers = issuerCalls(this.call);
  /** Shows and erases the people whose data you encrypt. */
  readonly subjects = subjectCalls(this.call, this.parts.calls.erasures, (subject) => this.drop(subject));
  /** Lists and verifies the audit log. */
  override readonly audit: AuditLog;
  protected readonly rewrapAll: ReturnType<typeof createRewrapAll>;

  constructor(options: EaasClientOptions = {}) {
    requireOptions(eaasClientOptions, options, 'new EaasClient');
    const signsIn = isSignIn(options, 'apiKey', 'service');
    const given = ofService(options);
    const complete = withEnvironment(given);
    const { apiKey } = complete;
    const nameOf = (option: 'baseUrl' | 'apiKey' | 'keyId' | 'half', variable: string): string =>
      complete[option] === given[option] ? option : variable;
    for (const one of [complete.half ?? null].flat()) requireKind(halfRule, one, nameOf('half', 'EAAS_HALF'));
    if (complete.keyId) requireKeyId(complete.keyId, nameOf('keyId', 'EAAS_KEY_ID'));
    if (!signsIn && typeof apiKey !== 'function') requireToken(apiKey, nameOf('apiKey', 'EAAS_API_KEY'));
    const baseUrl = baseUrlOf(complete.baseUrl, complete.insecureHttp, nameOf('baseUrl', 'EAAS_BASE_URL'));
    const inProcess = inWordsOfCalls(options.service?.call);
    super({ ...complete, baseUrl, inProcess, loadKinds, reword, authorize: authorizeBy(apiKey) });
    this.rewrapAll = createRewrapAll(this.call, patienceOf(complete), this.parts.calls.erasures);
    this.audit = auditOf(this.call, signsIn);
  }

  /**
   * Encrypts and decrypts in the service, which sees the plaintext. The service refuses these calls for envelope-only
   * tenants.
   *
   * @example
   * ```ts
   * const stored = await eaas.serverMode.encrypt({ key_id: keyId, plaintext: 'hello' });
   * const { plaintext } = await eaas.serverMode.decrypt(stored);
   * console.log(plaintext); // hello
   * ```
   */
  get serverMode(): ServerModeCalls {
    refuseHalf(this.parts.halves, 'serverMode', 'encrypt in the client, by `encrypt`');
    return serverModeCalls(this.call, this.parts.calls.erasures, this.caller);
  }

  /**
   * Asks the service to wrap a ciphertext's data key under the newest key version. The encrypted value does not change.
   *
   * @example
   * ```ts
   * const stored = await eaas.encrypt('hello');
   * await eaas.keys.rotate(keyId);
   * const { ciphertext, rewrapped } = await eaas.rewrap(stored);
   * console.log(rewrapped, await eaas.decrypt(ciphertext, { as: 'text' })); // true hello
   * ```
   */
  async rewrap<C extends Ciphertext>(ciphertext: C, options?: UnwrapOptions): Promise<Rewrapped<FormOf<C>>> {
    const [result] = await this.rewrapMany([ciphertext], options);
    return resultOf(result);
  }

  /**
   * Rewraps many ciphertexts. Ciphertexts with the same data key share one call. The results are in the order of the
   * ciphertexts. If one ciphertext fails, the others still succeed.
   *
   * @example
   * ```ts
   * const stored = [await eaas.encrypt('one'), await eaas.encrypt('two')];
   * for (const result of await eaas.rewrapMany(stored)) {
   *   if (result.ok) await store(result.value.ciphertext);
   *   else console.error(result.error.code);
   * }
   * ```
   */
  rewrapMany<C extends Ciphertext>(
    ciphertexts: readonly C[],
    options?: UnwrapOptions,
  ): Promise<Settled<Rewrapped<FormOf<C>>>[]> {
    return this.rewrapAll(ciphertexts, this.caller, options);
  }

  /**
   * Returns the public key of a key. `intake_public_key` is the argument of `createIntake`, and is null unless the key was
   * created with `intake: true`.
   *
   * @example
   * ```ts
   * const { key_id } = await eaas.keys.create({ name: 'contact form', intake: true });
   * const { intake_public_key } = await eaas.publicKey(key_id);
   * console.log(intake_public_key?.slice(0, 10)); // eaas_pk_1.
   * ```
   */
  async publicKey(keyId: string, options: CallOptions = {}): Promise<PublicKeys> {
    requireOptions(callOptions, options, 'publicKey');
    return this.call('GET /v1/keys/:key_id/public-key', { key_id: requireKeyId(keyId) }, options);
  }

  /**
   * Returns how many operations the tenant used in a month, such as `2026-11`. Defaults to the current month.
   *
   * @example
   * ```ts
   * const { month, operations } = await eaas.usage(); // of this month
   * console.error(month, operations.encrypt);
   * ```
   */
  async usage(
    input: Input<'GET /v1/usage'> = {},
    options: CallOptions = {},
  ): Promise<Output<'GET /v1/usage'>> {
    requireOptions({ month: 'text' }, input, 'usage');
    requireOptions(callOptions, options, 'usage');
    return this.call('GET /v1/usage', input, options);
  }
}

/** Returns the options with the connection of their `service`, or the same options if they have none. */
function ofService(options: EaasClientOptions): EaasClientOptions {
  const { service, keyId = service?.keyId } = options;
  if (!service) return options;
  for (const name of ['baseUrl', 'apiKey', 'fetch'] as const) {
    if (options[name] !== undefined) {
      throw new InputError(`pass either \`service\` or \`${name}\`: \`service\` has its own \`${name}\``);
    }
  }
  const { baseUrl, fetch } = service;
  // Calls of such a service need no API key, and it makes one when somebody asks.
  const apiKey = service.call ? () => service.apiKey : service.apiKey;
  return { ...options, baseUrl, apiKey, fetch, keyId };
}

/**
 * Names calls where the service names requests: `keys.enable` instead of POST /v1/keys/:id/enable. Pages have no such calls, and
 * show the request.
 */
const reword = (detail: string): string =>
  detail
    .replace(/query parameter /i, '')
    .replace(/`?POST \/v1\/([a-z-]+)(?:\/:id)?\/?([a-z]*)`?/g, (_, resource: string, action: string) => {
      const calls = resource.replace('api-keys', 'apiKeys');
      return `\`${calls}.${action || 'create'}\``;
    });

/** Rewords the errors of a service in this process, which exchanges no texts. */
const inWordsOfCalls = (call: Answer | undefined): Answer | undefined =>
  call &&
  ((route, input) =>
    call(route, input).catch((error: unknown) => {
      if (error instanceof ServiceError) throw new ServiceError(error.code, reword(error.message), error);
      throw error;
    }));

/** Sends an API key, and says which one was refused. */
const authorizeBy =
  (apiKey: EaasClientOptions['apiKey']): Authorize =>
  async (_, input, send) => {
    let given: unknown = apiKey;
    try {
      if (typeof apiKey === 'function') given = await apiKey();
    } catch (error) {
      throw credentialFailed('apiKey', error);
    }
    const token = requireToken(given);
    return send({ authorization: `Bearer ${token}` }, input).catch((error: ServiceError) => {
      if (error.code !== 'unauthorized') throw error;
      const which = `${error.message} (the API key that ends in ${token.slice(-4)} was refused)`;
      throw new ServiceError(error.code, which, error);
    });
  };

function requireToken(given: unknown, name = 'apiKey'): string {
  const [, token] = typeof given === 'string' ? (/^(eaas_sk_\w+)\s*$/.exec(given) ?? []) : [];
  if (token && isApiKey(token)) return token;
  let got = `${otherKindOf(given)}): is EAAS_API_KEY set? Without a server, pass \`service\``;
  if (token) got = 'one that was cut or mistyped): copy it again';
  else if (typeof given === 'string' && given !== '') got = `${otherKindOf(given)})`;
  throw new InputError(
    `\`${name}\` must be an API key (eaas_sk_ and 49 ` +
      `characters)${name === 'apiKey' ? ' or a function that returns an API key' : ''} (got ${got}`,
  );
}
