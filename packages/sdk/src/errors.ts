import type { DecryptionError, FormatError, InputError } from '@eaas/protocol';
import type { ProblemCode } from '@eaas/protocol/wire';

/** What went wrong, for a `switch`: a problem that the service named, or what kept its answer from arriving. */
export type EaasErrorCode =
  | ProblemCode
  /** The service could not be reached. */
  | 'network'
  /** No answer within the deadline. */
  | 'timeout'
  /** The caller's AbortSignal said so. */
  | 'aborted'
  /** What answered does not speak the service's language. */
  | 'invalid_response'
  /** A synchronous call found no data key in memory: `await client.prime(…)` first. */
  | 'not_primed'
  /** The client was closed. */
  | 'closed';

/**
 * A call that the service refused, or that did not reach it. Holds what may be logged and nothing else: no API key, no
 * data key, no plaintext.
 */
export class EaasError extends Error {
  override readonly name = 'EaasError';
  readonly code: EaasErrorCode;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** What to quote to the operator of the service. */
  readonly requestId: string | undefined;

  constructor(
    code: EaasErrorCode,
    message: string,
    details: { readonly status?: number | undefined; readonly requestId?: string | undefined } = {},
  ) {
    super(message);
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryable = /^(network|timeout|unavailable|audit_unwritten)$/.test(code);
  }
}

/** As an async function would, with a promise and a turn less: for calls that are made for every field. */
export function attempt<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return Promise.resolve(work());
  } catch (error) {
    return Promise.reject(error);
  }
}

export function closedError(): EaasError {
  return new EaasError('closed', 'this client was closed');
}

export function late(): EaasError {
  return new EaasError('timeout', 'the service did not answer in time');
}

/** What is said of an answer that is none. */
export function unreadable(): EaasError {
  return new EaasError('invalid_response', 'the service did not answer what was asked');
}

/** What a synchronous call says that found no data key in memory. */
export function notPrimed(what: string): EaasError {
  return new EaasError('not_primed', `${what}: await client.prime(…) first`);
}

/** Whatever a call of this package can throw; `switch (error.code)` tells them apart. */
export type SdkError = EaasError | FormatError | DecryptionError | InputError;

/** One result of many: its value, or what went wrong with it alone. */
export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: SdkError };
