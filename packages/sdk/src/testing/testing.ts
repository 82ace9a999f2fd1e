import { endpoints, type Input, type Output, permissions, type Route } from '@eaas/protocol/wire';
import { EaasError } from '../errors.ts';
import { createApiKey } from './api-keys.ts';
import { type Call, callBy } from './call.ts';
import { type Failure, type FailureOptions, Failures } from './failures.ts';
import { createFetch, type SeenRequest } from './fetch.ts';
import { checked } from './input.ts';
import { createKey } from './keys.ts';
import { Refusal } from './refusal.ts';
import { setTenant } from './set-tenant.ts';
import type { Tenant } from './tenant.ts';

export type { Failure, FailureOptions } from './failures.ts';
export type { SeenRequest } from './fetch.ts';

/** What the operator of the real service sets of a tenant. */
export interface TenantFields {
  /** Refuses /v1/encrypt and /v1/decrypt, as the real service does to new tenants. False to begin with. */
  readonly envelopeOnly?: boolean | undefined;
  /** How many /v1/encrypt a month allows; null is any number, as to begin with. */
  readonly monthlyEncryptQuota?: number | null | undefined;
}

export interface TestServiceOptions extends TenantFields {
  /** The clock, in milliseconds since 1970; that of the machine where absent. */
  readonly now?: (() => number) | undefined;
}

type KeyFields = Omit<Input<'POST /v1/keys'>, 'name'>;
type ApiKeyFields = Omit<Input<'POST /v1/api-keys'>, 'name'> & { readonly name?: string };

/** A service in memory, with one tenant. It is gone when nothing refers to it. */
export interface TestService {
  /** For `new EaasClient({ baseUrl, apiKey, fetch })`. */
  readonly baseUrl: string;
  /** An API key with every permission. */
  readonly apiKey: string;
  /** The one tenant’s id. */
  readonly tenantId: string;
  /** Answers what is sent to `baseUrl`; all else fails. No connection is ever opened. */
  readonly fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
  /** Every call so far, in the order in which they ended. */
  readonly requests: readonly SeenRequest[];
  /** Creates a key, as POST /v1/keys does with `apiKey`. Throws EaasError. */
  createKey(name: string, fields?: KeyFields): Output<'POST /v1/keys'>;
  /** Creates an API key, as the operator does. Throws EaasError. */
  createApiKey(fields: ApiKeyFields): Output<'POST /v1/api-keys'>;
  /** Changes the tenant, as the operator does. What is absent stays as it is. */
  setTenant(fields: TenantFields): void;
  /** Makes the next call fail, or the next ones, or those of one route. Throws InputError. */
  failNext(failure: Failure, options?: FailureOptions): void;
  /** Alters an audit entry behind the service's back: for tests of what watches the log. Throws where there is none. */
  tamper(id: number, change: Partial<Output<'GET /v1/audit'>['logs'][number]>): void;
  /** Puts the clock forward: keys are rotated and destroyed, and API keys expire, when their time has come. */
  advance(milliseconds: number): void;
}

const baseUrl = 'https://eaas.test';

/**
 * An Eaas service in memory, for unit tests: the routes, checks, problems and audit log of the real one. NOT FOR
 * PRODUCTION: its keys are gone when the process ends, and with them all that was encrypted.
 */
export function createTestService(options: TestServiceOptions = {}): TestService {
  const { envelopeOnly = false, monthlyEncryptQuota = null, now = Date.now } = options;
  let ahead = 0;
  const tenant: Tenant = {
    tenant_id: crypto.randomUUID(),
    envelope_only: envelopeOnly,
    monthly_encrypt_quota: monthlyEncryptQuota,
    clock: () => now() + ahead,
    rev: 0,
    keys: new Map(),
    apiKeys: new Map(),
    log: [],
  };
  const failures = new Failures();
  const requests: SeenRequest[] = [];
  const issue = (fields: ApiKeyFields) =>
    perform(createApiKey, callBy(tenant, 'operator'), 'POST /v1/api-keys', { name: 'test', ...fields });
  const everything = issue({ name: 'everything', permissions: [...permissions] });
  const holder = () => tenant.apiKeys.get(everything.api_key_id) ?? 'operator';
  return {
    baseUrl,
    apiKey: everything.api_key,
    tenantId: tenant.tenant_id,
    fetch: createFetch(baseUrl, tenant, failures, requests),
    requests,
    createKey: (name, fields) =>
      perform(createKey, callBy(tenant, holder()), 'POST /v1/keys', { ...fields, name }),
    createApiKey: issue,
    setTenant: ({ envelopeOnly: envelope_only, monthlyEncryptQuota: monthly_encrypt_quota }) =>
      setTenant(callBy(tenant, 'operator'), { envelope_only, monthly_encrypt_quota }),
    failNext: (failure, options = {}) => failures.add(failure, options),
    tamper: (id, change) => {
      const entry = tenant.log[id - 1];
      if (!entry) throw new EaasError('not_found', `the log has ${tenant.log.length} entries`);
      tenant.log[id - 1] = { ...entry, ...change };
    },
    advance: (milliseconds) => void (ahead += milliseconds),
  };
}

/** Makes a call past the door, with what the door checks of its body. A refusal is thrown as the client throws it. */
function perform<R extends Route & ('POST /v1/keys' | 'POST /v1/api-keys')>(
  operate: (call: Call, input: Input<R>) => Output<R>,
  call: Call,
  route: R,
  fields: object,
): Output<R> {
  try {
    return operate(call, checked(endpoints[route].body, fields) as Input<R>);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new EaasError(error.code, error.message, { status: error.problem.status });
  }
}
