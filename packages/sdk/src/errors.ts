// The errors of a client besides those of the formats, and what loads, shares and settles work that can fail.
import {
  type DecryptionError,
  EaasError,
  type FormatError,
  type InputError,
  LoadError,
  requireArray,
  ServiceError,
} from '@eaas/protocol/internal';

export { ServiceError, type ServiceErrorCode } from '@eaas/protocol/internal';

/** The reason why the client did not make a call, or stopped waiting for the response. */
export type ClientErrorCode =
  /** The caller's AbortSignal was aborted. */
  | 'aborted'
  /**
   * A synchronous call found no data key in memory. Call `await client.prime(…)` before the synchronous call. A
   * synchronous call with the option `fresh` always throws this error: call `encrypt` instead.
   */
  | 'not_primed'
  /** The client was closed. */
  | 'closed'
  /** The function that was passed as `half` threw an error, or did not answer in time. */
  | 'half';

/**
 * Thrown if the client did not make a call, or stopped waiting for the response.
 *
 * @example
 * ```ts
 * import { ClientError } from '@eaas/sdk';
 *
 * const signal = AbortSignal.abort();
 * const error = await eaas.encrypt('hello', { signal }).catch((error: unknown) => error);
 * if (error instanceof ClientError) console.log(error.code); // aborted
 * ```
 */
export class ClientError extends EaasError {
  override readonly name = 'ClientError';
  readonly code: ClientErrorCode;

  constructor(code: ClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Waits for a module that is loaded on demand. Throws LoadError with `what` if it cannot be loaded. */
export const load = <T>(what: string, module: Promise<T>): Promise<T> =>
  module.catch(() => {
    throw new LoadError(what);
  });

/** Returns a function that shares one result of `work` among its callers, and asks again after a failure. */
export function once<T, Given extends unknown[]>(work: (...given: Given) => Promise<T>) {
  let made: Promise<T> | undefined;
  return (...given: Given): Promise<T> => {
    made ??= work(...given);
    made.catch(() => {
      made = undefined;
    });
    return made;
  };
}

/**
 * Returns the result of `work` as a promise, which rejects if `work` throws. The promise of an async function would
 * settle some microtasks later.
 */
export function promiseOf<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(error);
  }
}

/** A function of the app that returns a credential threw. Its message could quote the credential, so only the name is told. */
export function credentialFailed(option: 'apiKey' | 'token', error: unknown): ServiceError {
  const name = error instanceof Error && /^[A-Z][A-Za-z]{0,40}$/.test(error.name) ? ` (${error.name})` : '';
  const message = `the function that was passed as \`${option}\` threw an error${name}: catch it there to see its message`;
  return new ServiceError('unauthorized', message);
}

export const aborted = () => new ClientError('aborted', 'the call was aborted by its signal');

export const closedError = () =>
  new ClientError(
    'closed',
    'this client was closed: close it only when nothing uses it any more, or make another',
  );

export const timeoutError = () =>
  new ServiceError(
    'timeout',
    'the service did not respond in time: is it running, and is `baseUrl` (EAAS_BASE_URL) its address?',
  );

export const unreadable = () =>
  new ServiceError(
    'invalid_response',
    'the response lacks the requested data: is `baseUrl` (EAAS_BASE_URL) the address of the service, and does nothing, such as ' +
      'a proxy or a sign-in page, answer in its place?',
  );

export const notPrimed = (what: string, advice = 'await client.prime(…) first') =>
  new ClientError('not_primed', `${what}: ${advice}`);

/**
 * The type of every error that a call can throw, which `error.code` identifies. To catch them all, use the class
 * `EaasError`.
 */
export type SdkError = ServiceError | ClientError | LoadError | FormatError | DecryptionError | InputError;

/** The result for one item of a call with many items: the value or the error of this item. */
export type Settled<T, Failure = SdkError> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: Failure };

/** The result for a value. Throws why it failed. */
export function resultOf<T>(result: Settled<T, Error> | undefined): T {
  if (result?.ok) return result.value;
  throw (
    result?.error ?? new TypeError('the client must return one result for each value (got fewer results)')
  );
}

export async function settleEach<Item, T>(items: readonly Item[], work: (item: Item) => Promise<T>) {
  requireArray(items);
  const settle = (item: Item): Promise<Settled<T>> =>
    promiseOf(() => work(item)).then(
      (value) => ({ ok: true, value }),
      (error: SdkError) => ({ ok: false, error }),
    );
  return Promise.all(Array.from(items, settle));
}
