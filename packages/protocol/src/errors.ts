// The errors that apps catch, by their class or by a `code` that never changes. All packages share the base class.
import type { ProblemCode } from './wire/problems.ts';

/**
 * The base class of every error that Eaas throws: the one to catch. `SdkError` is the type of the same errors.
 *
 * @example
 * ```ts
 * import { EaasError } from '@eaas/sdk';
 *
 * try {
 *   await eaas.decrypt('hello');
 * } catch (error) {
 *   if (!(error instanceof EaasError)) throw error;
 *   console.log(error.code, error.retryable); // format false
 * }
 * ```
 */
export abstract class EaasError extends Error {
  /** The error code for programs. It never changes, so a `switch` can use it. */
  abstract readonly code: string;
  /** Whether the call that failed might succeed later. */
  readonly retryable: boolean = false;
}

/**
 * Thrown if a value is not a ciphertext: it is plaintext, its column cut it short, or a newer version wrote it.
 *
 * @example
 * ```ts
 * import { FormatError } from '@eaas/sdk';
 *
 * const error = await eaas.decrypt('hello').catch((error: unknown) => error);
 * console.log(error instanceof FormatError); // true
 * ```
 */
export class FormatError extends EaasError {
  override readonly name = 'FormatError';
  readonly code = 'format';
}

/** What a DecryptionError says to a client with a second half. */
export const altered =
  'the ciphertext was altered, or encrypted with another key or context, or for another person';

/**
 * Thrown if a ciphertext was altered, or belongs to another key, context or person: a second try fails too. Once a cipher has
 * seen the envelope, the message is the same for every cause, because a difference would help an attacker. What everybody can
 * read without a key may be said: that the envelope names a key that is not accepted, or that a stream ends where no chunk can end.
 *
 * @example
 * ```ts
 * import { DecryptionError } from '@eaas/sdk';
 *
 * const ciphertext = await eaas.encrypt('hello', { context: { id: '7' } });
 * const error = await eaas.decrypt(ciphertext, { context: { id: '8' } }).catch((error: unknown) => error);
 * console.log(error instanceof DecryptionError); // true
 * ```
 */
export class DecryptionError extends EaasError {
  override readonly name = 'DecryptionError';
  readonly code = 'decryption';
  /** The key that the envelope names, if it is not one of `acceptedKeyIds`. Undefined for every other cause. */
  readonly keyId: string | undefined;
  /** The ids of the keys that were accepted, if the envelope names another. Undefined for every other cause. */
  readonly acceptedKeyIds: readonly string[] | undefined;

  constructor(
    reason: string = `${altered}, or by a client with the option \`half\``,
    keyId?: string,
    acceptedKeyIds?: readonly string[],
  ) {
    super(`decryption failed: ${reason}`);
    this.keyId = keyId;
    this.acceptedKeyIds = acceptedKeyIds;
  }
}

/** For a stream whose length alone shows that its end is missing. */
export const incomplete = (): DecryptionError =>
  new DecryptionError('the stream is incomplete, it ends inside a chunk');

/**
 * Thrown if a JavaScript file that the app loads on demand could not be loaded, for example because the page is
 * offline. A later call loads the file again.
 *
 * @example
 * ```ts
 * import { LoadError } from '@eaas/sdk';
 *
 * async function show(ciphertext: string) {
 *   return eaas.decrypt(ciphertext, { as: 'text' }).catch((error: unknown) => {
 *     if (error instanceof LoadError) return 'You are offline: try again later';
 *     throw error;
 *   });
 * }
 * ```
 */
export class LoadError extends EaasError {
  override readonly name = 'LoadError';
  readonly code = 'not_loaded';
  override readonly retryable = true;

  constructor(what: string) {
    super(`a file of this app (${what}) could not be loaded: check network and deployment, then call again`);
  }
}

/**
 * Thrown if an argument is invalid: a bug in the calling code. The message names the argument and the reason.
 *
 * @example
 * ```ts
 * import { InputError } from '@eaas/sdk';
 *
 * const error = await eaas.encrypt('hello', { keyId: 'patients' }).catch((error: unknown) => error);
 * if (error instanceof InputError) console.error(error.message); // `keyId` must be a UUID …
 * ```
 */
export class InputError extends EaasError {
  override readonly name = 'InputError';
  readonly code = 'input';
}

/** An error code of the service, or a code for a missing or invalid response. */
export type ServiceErrorCode =
  | ProblemCode
  /** The service could not be reached. */
  | 'network'
  /** The service did not respond within the deadline. */
  | 'timeout'
  /** The response does not follow the API of the service, or exceeds 16 MiB: check `baseUrl`. */
  | 'invalid_response';

/**
 * Thrown if the service refused a call or could not be reached. The error contains no secret, so you can log it.
 *
 * @example
 * ```ts
 * import { ServiceError } from '@eaas/sdk';
 *
 * const error = await eaas.keys.get(crypto.randomUUID()).catch((error: unknown) => error);
 * if (error instanceof ServiceError) console.log(error.code, error.status); // not_found 404
 * ```
 */
export class ServiceError extends EaasError {
  override readonly name = 'ServiceError';
  readonly code: ServiceErrorCode;
  override readonly retryable: boolean;
  /** The HTTP status of the response. Undefined if there was no response. */
  readonly status: number | undefined;
  /** The id of the request. Include this id when you report a problem to the operator of the service. */
  readonly requestId: string | undefined;

  constructor(
    code: ServiceErrorCode,
    message: string,
    details: ErrorOptions & Partial<Pick<ServiceError, 'status' | 'requestId'>> = {},
  ) {
    super(message, details);
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryable = /^(network|timeout|unavailable|audit_unwritten)$/.test(code);
  }
}
