// What the service refuses, each with its text. A refusal is thrown where it is found, and is the response of the call.
import { type Problem, problem, type ProblemCode, type Receipt } from '@eaas/protocol/wire';
import type { Draft } from './draft.ts';

type Options = Partial<Pick<Problem, 'status' | 'title'>> & {
  readonly entry?: ((items: number) => Draft) | undefined;
  readonly cause?: unknown;
};

/** Thrown where the service refuses a call. Its `problem` is the response. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ProblemCode;
  readonly problem: Problem;
  /** Drafts the one audit entry about all items of a request that are refused like this. */
  readonly entry: ((items: number) => Draft) | undefined;
  /** The place of that entry in the log, once it is written. */
  receipt: Receipt | undefined;

  constructor(code: ProblemCode, detail: string, { cause, entry, ...more }: Options = {}) {
    // Removes API keys from the detail. The detail can contain field names, and a caller might have sent an
    // API key as a field name.
    super(detail.replace(/eaas_sk_\w+/g, 'eaas_sk_…').toWellFormed(), cause === undefined ? {} : { cause });
    this.code = code;
    this.problem = { ...problem(code, this.message), ...more };
    this.entry = entry;
  }
}

/** Refuses a request as invalid. `reason` must not contain values of the request, because a value might be a secret. */
export const badRequest = (reason: string): Refusal =>
  new Refusal('bad_request', `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`);

/**
 * Refuses a request without a valid API key. The text is the same for every cause, so callers cannot find out which
 * tokens exist. Only the holder of a stored API key learns `what` ended it.
 */
export const unauthorized = (what = 'This call has no API key or token that the service accepts'): Refusal =>
  new Refusal(
    'unauthorized',
    `${what}: create another API key with \`eaas api-key create\` or in the console.`,
  );

/** 404: there is no such path. */
export const nothingHere = (): Refusal =>
  new Refusal('not_found', 'The path of this request does not exist: see /docs for all paths.');

/** If the request has several key ids, `field` says where the unknown key id is. */
export const keyNotFound = (field?: string): Refusal =>
  new Refusal(
    'not_found',
    `Key not found${field ? ` (\`${field}\`)` : ''}: pass the key_id that POST /v1/keys returned, not the name of the key.`,
  );

/** 404: the tenant has no such API key. */
export const apiKeyNotFound = (): Refusal =>
  new Refusal('not_found', 'API key not found: pass the api_key_id that POST /v1/api-keys returned.');

/** 404: the tenant has no such issuer. */
export const issuerNotFound = (): Refusal =>
  new Refusal('not_found', 'Issuer not found: pass the issuer_id that POST /v1/issuers returned.');

/** 404: the operator has not switched the public log on. */
export const noPublicLog = (): Refusal =>
  new Refusal(
    'not_found',
    'This service keeps no public log, so it has no proofs: ask its operator to switch the log on.',
  );

/** 405: the path exists, and the method does not. */
export const methodNotAllowed = (allowed: readonly string[]): Refusal =>
  new Refusal('method_not_allowed', `This path accepts only these methods: ${allowed.join(', ')}.`);

/** 413: the body is longer than the limit. */
export const bodyTooLarge = (limit: number): Refusal =>
  new Refusal('too_large', `The body is larger than ${limit / 1024 / 1024} MiB: send less data in one call.`);

export const unauthenticWrappedKey = (): Refusal =>
  new Refusal(
    'wrapped_key_unauthentic',
    'The wrapped_key cannot be unwrapped: the key_id or the context is wrong, or the wrapped_key was altered or truncated.',
  );

/** Refuses a wrapped key that names another version than the request, or a version that the key does not have. */
export const wrongKeyVersion = (named: number, expected?: number): Refusal =>
  new Refusal(
    'wrapped_key_unauthentic',
    expected === undefined
      ? `The wrapped_key names \`key_version\` ${named}, which this key does not have: the key_id is wrong, or the wrapped_key was altered.`
      : `\`key_version\` is ${expected}, but the wrapped_key names version ${named}: pass the key_version ` +
          `that was returned with the wrapped_key, or leave it out.`,
  );

/** Refuses a decryption. The text is the same for every cause, because a difference would help an attacker. */
export const decryptionFailed = (): Refusal =>
  new Refusal(
    'decryption_failed',
    'Decryption failed: the ciphertext was altered, or key_id, key_version or context differ from the values used to encrypt.',
  );

/** 429: the quota of the month is used up. */
export const quotaExceeded = (): Refusal =>
  new Refusal(
    'quota_exceeded',
    "This month's quota of encrypt operations is used up: ask the operator for a higher quota, or use " +
      'wrap and unwrap, which have no quota.',
  );

/** The service returns this error if it does not know whether it has written the audit entry. */
export const auditUnwritten = (cause?: unknown): Refusal =>
  new Refusal(
    'audit_unwritten',
    'The audit entry could not be written in time, so no result was returned. Try again in a moment.',
    { cause },
  );

/** 503: the store does not respond, or not in time. */
export const unreachable = (cause?: unknown): Refusal =>
  new Refusal('unavailable', 'The service cannot reach its database. Try again in a moment.', { cause });

/** 400: the checkpoint is not one of this tenant. */
export const foreignCheckpoint = (): Refusal =>
  badRequest(
    '`checkpoint` was not signed for this tenant, or was changed: pass the whole text that this tenant received',
  );
