import type { ProblemCode } from '@eaas/protocol/wire';

/** What went wrong, for a `switch`: a problem that the service named, or what kept its answer from arriving. */
export type EaasErrorCode = ProblemCode | 'network' | 'timeout' | 'invalid_response';

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
    details: { status?: number; requestId?: string | undefined } = {},
  ) {
    super(message);
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryable = retryable.has(code);
  }
}

const retryable: ReadonlySet<EaasErrorCode> = new Set([
  'network',
  'timeout',
  'unavailable',
  'audit_unwritten',
]);
