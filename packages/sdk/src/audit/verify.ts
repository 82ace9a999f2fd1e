// Asks the service to verify the log, request by request.
import type { Input, Output } from '@eaas/protocol/wire';
import { ServiceError } from '../errors.ts';
import type { Call, CallOptions } from '../transport/transport.ts';

/** The entries that a verification checks. */
export type Range = Input<'GET /v1/audit/verify'>;
/** The result of a verification by the service. */
export type AuditVerification = Output<'GET /v1/audit/verify'>;

/** Options of `audit.verify`. */
export interface VerifyOptions extends CallOptions {
  /**
   * Called after each request with the combined result of all requests so far. To continue the verification later, pass
   * `next_id` and `next_row` of this result as `from_id` and `row` to `audit.verify`. Omit `row` if `next_row` is null.
   */
  readonly onProgress?: ((found: AuditVerification) => void) | undefined;
}

export async function verifyAudit(
  call: Call,
  range: Range,
  { signal, onProgress }: VerifyOptions,
): Promise<AuditVerification> {
  const endless = (cause: string): ServiceError =>
    new ServiceError(
      'invalid_response',
      `\`audit.verify\` stopped: the service ${cause}. Ask its operator for the reason`,
    );
  let found = await call('GET /v1/audit/verify', range, { signal });
  let [from, place] = [1, ''];
  for (let calls = 1; ; calls++) {
    onProgress?.(found);
    const { next_id, next_row } = found;
    if (next_id === null) return found;
    const next = `${next_id} ${next_row}`;
    if (next_id < from || next === place)
      throw endless('did not return a greater `next_id`, or another `next_row`, than before');
    if (calls === mostCalls) throw endless(`did not end the verification after ${mostCalls} calls`);
    [from, place] = [next_id, next];
    const query = { ...range, from_id: next_id, ...(next_row !== null && { row: next_row }) };
    found = merge(found, await call('GET /v1/audit/verify', query, { signal }));
  }
}

// 8,640 calls take about a day, because the service verifies for up to 10 seconds per call.
const mostCalls = 8_640;

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
