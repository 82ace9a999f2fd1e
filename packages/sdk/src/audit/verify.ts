import type { Input, Output } from '@eaas/protocol/wire';
import { unreadable } from '../errors.ts';
import type { Call, CallOptions } from '../transport.ts';

/** What the service found. */
export type AuditVerification = Output<'GET /v1/audit/verify'>;

/** How a long verification reports on its way. */
export interface VerifyOptions extends CallOptions {
  /** Told after each call what all calls so far found; its `next_id` is where a later verification can go on. */
  readonly onProgress?: ((found: AuditVerification) => void) | undefined;
}

/**
 * Has the service verify its log, or a range of it, to the end: a call ends after 10 seconds, and the next goes on where
 * it ended. A log that does not hold is `valid: false`, not an exception. Throws EaasError.
 */
export async function verifyAudit(
  call: Call,
  range: Input<'GET /v1/audit/verify'> = {},
  { signal, onProgress }: VerifyOptions = {},
): Promise<AuditVerification> {
  const next = (input: Input<'GET /v1/audit/verify'>): Promise<AuditVerification> =>
    call('GET /v1/audit/verify', input, { signal });
  let found = await next(range);
  for (let from = 0; ;) {
    onProgress?.(found);
    const { next_id } = found;
    if (next_id === null) return found;
    // It would never end.
    if (!(next_id > from)) throw unreadable();
    from = next_id;
    found = merge(found, await next({ ...range, from_id: from }));
  }
}

/** What two calls found together. Each judges head and rows anew, so the same error can come twice. */
function merge(before: AuditVerification, now: AuditVerification): AuditVerification {
  const known = new Set(before.errors.map(({ id, reason }) => `${id} ${reason}`));
  const fresh = now.errors.filter(({ id, reason }) => !known.has(`${id} ${reason}`));
  return {
    ...now,
    valid: before.valid === false ? false : now.valid,
    checked: before.checked + now.checked,
    first_id: before.first_id ?? now.first_id,
    last_id: now.last_id ?? before.last_id,
    errors: [...before.errors, ...fresh].slice(0, 100),
    error_count: before.error_count + now.error_count - (now.errors.length - fresh.length),
  };
}
