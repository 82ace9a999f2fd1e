// `client.audit`: what asks the service about its log. `@eaas/audit` checks the log.
import { integerFrom, type OptionRules, requireOptions } from '@eaas/protocol/internal';
import type { Input, Output } from '@eaas/protocol/wire';
import { type Call, type CallOptions, callOptions } from '../http/transport.ts';
import { ServiceError } from '../errors.ts';
import {
  type AuditEntry,
  type AuditFilter,
  type AuditListOptions,
  type AuditPage,
  type AuditPageQuery,
  filterRules,
  loadLists,
  queryOf,
  reportOf,
} from './query.ts';
import type { PersonReportOptions, ReportRow } from './report.ts';

/** The audit log of the API key's tenant. The API key needs the permission `audit.read`. */
export interface AuditLog {
  /**
   * Yields, exactly once, each matching entry that is in the log when the listing starts.
   *
   * @example
   * ```ts
   * for await (const { id, action, created_at } of eaas.audit.list({ action: 'key.create' })) {
   *   console.error(id, action, created_at);
   * }
   * ```
   */
  list(filter?: AuditFilter, options?: AuditListOptions): AsyncGenerator<AuditEntry, void, undefined>;
  /**
   * Yields what happened with the data of a person, newest first: the time, the action, the id of the user and the
   * outcome, which you can show to this person. Yields nothing for a subject that was never used. Without a name, the
   * report is about the signed-in user, and needs an issuer with the permission `audit.own`; a client with an API key,
   * which is nobody, then throws InputError.
   *
   * @example
   * ```ts
   * for await (const { time, action, user } of eaas.audit.report({ subject: 'patient-7' })) {
   *   console.error(time, action, user);
   * }
   * ```
   */
  report(options?: PersonReportOptions): AsyncGenerator<ReportRow, void, undefined>;
  /**
   * Returns one page of audit entries.
   *
   * @example
   * ```ts
   * const { logs, total } = await eaas.audit.page({ limit: 20 });
   * ```
   */
  page(query?: AuditPageQuery, options?: CallOptions): Promise<AuditPage>;
  /**
   * Asks the service itself whether its log is whole, which `checkAudit` of `@eaas/audit` does not: it computes that from the
   * entries. Each request verifies for up to 10 seconds, and this
   * method sends requests until everything is verified. Returns `valid: false` for a broken log instead of throwing.
   * Throws ServiceError `invalid_response` if a request makes no progress, or if 8,640 requests do not complete the
   * verification.
   *
   * @example
   * ```ts
   * const { valid, errors } = await eaas.audit.verify();
   * console.log(valid, errors); // true []
   * ```
   */
  verify(range?: AuditRange, options?: AuditVerifyOptions): Promise<AuditVerification>;
  /**
   * Returns a checkpoint, a signed statement of the newest entry. Store the checkpoint outside the service.
   *
   * @example
   * ```ts
   * const { id, checkpoint } = await eaas.audit.checkpoint();
   * await store(checkpoint); // outside the service
   * ```
   */
  checkpoint(options?: CallOptions): Promise<Output<'GET /v1/audit/checkpoint'>>;
  /**
   * Returns the first kept proof of a head at or after entry `id`, or the newest: witnesses outside the service have seen
   * this head. `verifyProof` of `@eaas/audit` checks it offline. Throws ServiceError `not_found` if the service keeps
   * no public log, and until its next moment after entry `id`.
   */
  proof(query?: Input<'GET /v1/audit/proof'>, options?: CallOptions): Promise<Output<'GET /v1/audit/proof'>>;
}

const pageRules: OptionRules<AuditPageQuery> = {
  ...filterRules,
  limit: 'positiveInteger',
  offset: integerFrom(0),
};
const rangeRules: OptionRules<AuditRange> = {
  from_id: 'positiveInteger',
  to_id: 'positiveInteger',
  checkpoint: 'text',
};

export function auditOf(call: Call, signsIn = false): AuditLog {
  return {
    async *list(filter = {}, options = {}) {
      yield* (await loadLists()).listAudit(call, filter, options);
    },
    report: (options) => reportOf(call, signsIn, options),
    async page(query = {}, options = {}) {
      requireOptions(pageRules, query, 'audit.page');
      requireOptions(callOptions, options, 'audit.page');
      return call('GET /v1/audit', queryOf(query), options);
    },
    async proof(query = {}, options = {}) {
      requireOptions({ id: 'positiveInteger' }, query, 'audit.proof');
      requireOptions(callOptions, options, 'audit.proof');
      return call('GET /v1/audit/proof', query, options);
    },
    async verify(range = {}, options = {}) {
      requireOptions(rangeRules, range, 'audit.verify');
      requireOptions({ signal: 'signal', onProgress: 'callback' }, options, 'audit.verify');
      const { signal, onProgress } = options;
      let found = await call('GET /v1/audit/verify', range, { signal });
      let from = 0;
      for (let calls = 1; ; calls++) {
        onProgress?.(found);
        const { next_id } = found;
        if (next_id === null) return found;
        if (next_id <= from) throw endless('did not return a greater `next_id` than before');
        if (calls === mostCalls) throw endless(`did not end the verification after ${mostCalls} calls`);
        from = next_id;
        found = merge(found, await call('GET /v1/audit/verify', { ...range, from_id: from }, { signal }));
      }
    },
    async checkpoint(options = {}) {
      requireOptions(callOptions, options, 'audit.checkpoint');
      return call('GET /v1/audit/checkpoint', {}, options);
    },
  };
}

/** The entries that a verification checks. */
export type AuditRange = Input<'GET /v1/audit/verify'>;
/** The result of a verification by the service. */
export type AuditVerification = Output<'GET /v1/audit/verify'>;

/** Options of `audit.verify`. */
export interface AuditVerifyOptions extends CallOptions {
  /**
   * Called after each request with the combined result of all requests so far. To continue the verification later, pass
   * `next_id` of this result as `from_id` to `audit.verify`.
   */
  readonly onProgress?: ((found: AuditVerification) => void) | undefined;
}

const endless = (cause: string): ServiceError =>
  new ServiceError(
    'invalid_response',
    `\`audit.verify\` stopped: the service ${cause}. Ask its operator for the reason`,
  );

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
