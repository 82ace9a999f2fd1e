import { limits } from '../wire/limits.ts';
import { type Problem, problem, type ProblemCode } from '../wire/problems.ts';

/**
 * Options of a Refusal. `status` and `title` replace the status and the title of the problem code. A proxy that
 * forwards a refusal of the service passes the service's request id as `requestId`.
 */
type Options = Partial<Pick<Problem, 'status' | 'title'>> & {
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
};

/**
 * The reason why the service refuses a request. Every rule can throw a Refusal, and the HTTP layer turns it into a
 * response.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ProblemCode;
  readonly problem: Problem;
  readonly requestId: string | undefined;

  constructor(code: ProblemCode, detail: string, { requestId, cause, ...more }: Options = {}) {
    // A caller might have sent an API key as a field name, and a detail can contain field names. So API keys are
    // removed from the detail.
    super(detail.replace(/eaas_sk_\w+/g, 'eaas_sk_…').toWellFormed(), cause === undefined ? {} : { cause });
    this.code = code;
    this.problem = { ...problem(code, this.message), ...more };
    this.requestId = requestId;
  }
}

/**
 * Returns the refusal (400) of a bad request. The reason can contain field names but must not contain values, because a
 * value might be a secret.
 */
export const badRequest = (reason: string): Refusal =>
  new Refusal('bad_request', `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`);

/**
 * Returns the refusal (401) of a request without a valid API key. The text is the same for every cause, so callers
 * cannot find out which tokens exist.
 */
export const unauthorized = (): Refusal =>
  new Refusal('unauthorized', 'Send a valid API key as `Authorization: Bearer eaas_sk_…`.');

export const nothingHere = (): Refusal =>
  new Refusal('not_found', 'The path of this request does not exist: see /docs for all paths.');

/** Returns the refusal (404) of a key id that is unknown, is not a UUID, or is not among the keys of the API key. */
export const keyNotFound = (): Refusal =>
  new Refusal(
    'not_found',
    'Key not found: pass the key_id that POST /v1/keys returned, not the name of the key.',
  );

export const apiKeyNotFound = (): Refusal =>
  new Refusal('not_found', 'API key not found: pass the api_key_id that POST /v1/api-keys returned.');

export const methodNotAllowed = (allowed: readonly string[]): Refusal =>
  new Refusal('method_not_allowed', `This path accepts only these methods: ${allowed.join(', ')}.`);

/**
 * Returns the refusal (408) of a request that arrives too slowly. Its problem code is `bad_request`, because programs
 * treat both alike.
 */
export const requestTimeout = (): Refusal =>
  new Refusal(
    'bad_request',
    'The whole request did not arrive in time: send the request again, without pauses.',
    {
      status: 408,
      title: 'Request Timeout',
    },
  );

export const bodyTooLarge = (limit: number): Refusal =>
  new Refusal('too_large', `The body is larger than ${limit / 1024 / 1024} MiB: send less data in one call.`);

export const bodyCut = (): Refusal =>
  badRequest('the connection was closed before the whole request body arrived');

/** Returns the refusal (403) of a wrapped key that this key and this context did not create. */
export const unauthenticWrappedKey = (): Refusal =>
  new Refusal(
    'wrapped_key_unauthentic',
    'The wrapped_key cannot be unwrapped: the key_id or the context is wrong, or the wrapped_key was altered or truncated.',
  );

/**
 * Returns the refusal (422) of a decryption. The text is the same for every cause, because a difference would help an
 * attacker.
 */
export const decryptionFailed = (): Refusal =>
  new Refusal(
    'decryption_failed',
    'Decryption failed: the ciphertext was altered, or key_id, key_version or context differ from the values used to encrypt.',
  );

export const quotaExceeded = (): Refusal =>
  new Refusal(
    'quota_exceeded',
    "This month's quota of encrypt operations is used up: ask the operator for a higher quota, or use wrap and unwrap, which have no quota.",
  );

/**
 * Returns the refusal (500) of a call whose audit entry was perhaps written. The service cannot find out whether it was
 * written, so the text does not claim either.
 */
export const auditUnwritten = (cause?: unknown): Refusal =>
  new Refusal(
    'audit_unwritten',
    'The audit entry could not be written in time, so no result was returned. Try again in a moment.',
    { cause },
  );

export const foreignCheckpoint = (): Refusal =>
  badRequest(
    '`checkpoint` was not signed for this tenant, or was changed: pass the whole text that this tenant received',
  );

/** Returns the size of the largest body that a call accepts, in bytes. */
export const bodyLimit = ({ item }: { item?: unknown }): number => (item ? limits.batchBody : limits.body);
