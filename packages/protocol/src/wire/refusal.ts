// What a call is refused with. Services throw it, and the SDK's proxy, which stands before a service.
import type { AuditAction } from './audit-actions.ts';
import type { Receipt } from './primitives.ts';
import { type Problem, problem, type ProblemCode } from './problems.ts';

/** An audit entry before the log gives it an id and a hash. */
export interface Draft {
  readonly action: AuditAction;
  readonly key_id: string | null;
  readonly key_version: number | null;
  /** The metadata of the audit entry: canonical JSON of at most 40 KiB. */
  readonly metadata: string;
  /** Whether the entry records a refusal: it is counted apart. */
  readonly isRefused: boolean;
}

/** What a refusal has beside its code and its detail. */
export type RefusalOptions = Partial<Pick<Problem, 'status' | 'title'>> & {
  readonly entry?: ((items: number) => Draft) | undefined;
  /** The id of the request at a service that refused it before. */
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
};

/** Thrown where the service refuses a call. Its `problem` is the response. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ProblemCode;
  readonly problem: Problem;
  readonly requestId: string | undefined;
  /** Drafts the one audit entry about all items of a request that are refused like this. */
  readonly entry: ((items: number) => Draft) | undefined;
  /** The place of that entry in the log, once it is written. */
  receipt: Receipt | undefined;

  constructor(code: ProblemCode, detail: string, { requestId, cause, entry, ...more }: RefusalOptions = {}) {
    // Removes API keys from the detail. The detail can contain field names, and a caller might have sent an
    // API key as a field name.
    super(detail.replace(/eaas_sk_\w+/g, 'eaas_sk_…').toWellFormed(), cause === undefined ? {} : { cause });
    this.code = code;
    this.problem = { ...problem(code, this.message), ...more };
    this.requestId = requestId;
    this.entry = entry;
  }
}

/** Refuses a request as invalid. `reason` must not contain values of the request, because a value might be a secret. */
export const badRequest = (reason: string): Refusal =>
  new Refusal('bad_request', `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`);

/** 413: the body is longer than the limit. */
export const bodyTooLarge = (limit: number): Refusal =>
  new Refusal('too_large', `The body is larger than ${limit / 1024 / 1024} MiB: send less data in one call.`);

/** Returns the result of `work`, or the Refusal that it threw. */
export function orRefusal<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (error) {
    return refusalOf(error);
  }
}

/** Returns an error that is a Refusal, and throws any other. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}
