import type { Input, Output } from '@eaas/protocol/wire';
import type { Call, CallOptions } from '../transport.ts';
import { type AuditEntry, type AuditFilter, type AuditPage, listAudit, type ListOptions } from './list.ts';
import { type AuditVerification, verifyAudit, type VerifyOptions } from './verify.ts';

/** The audit log of the tenant that the API key belongs to; it needs the permission `audit.read`. */
export interface AuditMethods {
  /** Every matching entry that there is when it begins, each once. */
  list(filter?: AuditFilter, options?: ListOptions): AsyncGenerator<AuditEntry, void, undefined>;
  /** One page, as the service answers it. */
  page(query?: Input<'GET /v1/audit'>, options?: CallOptions): Promise<AuditPage>;
  /** Has the service verify the log, or a range of it, to the end. */
  verify(range?: Input<'GET /v1/audit/verify'>, options?: VerifyOptions): Promise<AuditVerification>;
  /** A signed statement of where the log stands, to be kept outside the service. */
  checkpoint(options?: CallOptions): Promise<Output<'GET /v1/audit/checkpoint'>>;
}

/** The audit log through one way of making calls. */
export function auditOf(call: Call): AuditMethods {
  return {
    list: (filter, options) => listAudit(call, filter, options),
    page: (query = {}, options) => call('GET /v1/audit', query, options),
    verify: (range, options) => verifyAudit(call, range, options),
    checkpoint: (options) => call('GET /v1/audit/checkpoint', {}, options),
  };
}
