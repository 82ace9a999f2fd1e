// The service in memory, for unit tests: a tenant with everything that the server has, and controls.
// Tests of apps call it, and pages that show the playground without a server.
import { canonicalJson } from '@eaas/protocol/audit';
import {
  callback,
  flag,
  fromHex,
  integerFrom,
  number,
  numberFrom,
  object,
  type OptionRules,
  requireKind,
  requireOptions,
  type Rule,
  ServiceError,
} from '@eaas/protocol/internal';
import type { Input, Output } from '@eaas/protocol/wire';
import {
  changeTenant,
  entries,
  type EntryRow,
  intake,
  issuers,
  people,
  refTo,
  serverOperations,
  settle,
} from '@eaas/service';
import { createCall } from './call.ts';
import {
  addFailure,
  baseUrl,
  createFetch,
  type TestFailure,
  type FailureOptions,
  type Failures,
  type Fetch,
  type TestRequest,
} from './fetch.ts';
import { memoryStore } from './memory-store.ts';
import { ownTenant, withControls } from './own-tenant.ts';

/** The settings of the test service's tenant. In the real service, only the operator can change such settings. */
export interface TestTenant {
  /**
   * If true, the tenant cannot use `/v1/encrypt` and `/v1/decrypt`. Defaults to false. In the real service, new tenants
   * have the value true.
   */
  readonly envelopeOnly?: boolean | undefined;
  /** The maximum number of calls of /v1/encrypt per month. Defaults to null (unlimited). */
  readonly monthlyEncryptQuota?: number | null | undefined;
}

/** Options of `createTestService`. */
export interface TestServiceOptions extends TestTenant {
  /** The clock, in milliseconds since 1970. Defaults to the clock of the machine. */
  readonly now?: (() => number) | undefined;
}

type Entry = Output<'GET /v1/audit'>['logs'][number];
type NewKeyFields = Omit<Input<'POST /v1/keys'>, 'name'>;
type NewApiKeyFields = Omit<Input<'POST /v1/api-keys'>, 'name'> & { readonly name?: string };

/** A test service in memory. It has one tenant. */
export interface TestService {
  /** The URL of the service, for `new EaasClient({ baseUrl, apiKey, fetch })`. */
  readonly baseUrl: string;
  /** An API key with every permission. */
  readonly apiKey: string;
  /** The id of the tenant. */
  readonly tenantId: string;
  /** Responds to requests to `baseUrl`, without opening a connection. All other requests fail. */
  readonly fetch: Fetch;
  /** The completed calls, in the order in which they ended. */
  readonly requests: readonly TestRequest[];
  /**
   * Creates a key, like `POST /v1/keys` with `apiKey`. Throws ServiceError if the real service would refuse this call.
   */
  createKey(name: string, fields?: NewKeyFields): Promise<Output<'POST /v1/keys'>>;
  /** Creates an API key, as an operator can. Throws ServiceError if the real service would refuse this call. */
  createApiKey(fields: NewApiKeyFields): Promise<Output<'POST /v1/api-keys'>>;
  /** Changes the settings of the tenant, as an operator can. Settings that are not passed do not change. */
  setTenant(fields: TestTenant): Promise<void>;
  /** Makes the next requests to the test service fail. Throws InputError for an unknown failure or route. */
  failNext(failure: TestFailure, options?: FailureOptions): void;
  /**
   * Alters an audit entry as an attacker could, for tests of audit checks. Throws ServiceError if the entry does not
   * exist.
   */
  tamper(id: number, change: Partial<Entry>): void;
  /**
   * Moves the clock forward. The next request then rotates and destroys the keys that are due. API keys that have
   * expired are refused.
   */
  advance(milliseconds: number): void;
}

const quota: Rule = (value) => value === null || integerFrom(0)(value, '');
const tenantRules: OptionRules<TestTenant> = { envelopeOnly: flag, monthlyEncryptQuota: quota };
const serviceRules: OptionRules<TestServiceOptions> = { ...tenantRules, now: callback };

/**
 * Creates an Eaas service in memory, for unit tests. The test service has the routes, checks, error responses and audit
 * log of the real service. NOT FOR PRODUCTION: when the process ends, the keys are lost, and values under these keys
 * can no longer be decrypted.
 *
 * @example
 * ```ts
 * import { createTestService } from '@eaas/local';
 * import { EaasClient } from '@eaas/sdk';
 *
 * const service = createTestService();
 * const { key_id } = await service.createKey('patients');
 * const eaas = new EaasClient({ ...service, keyId: key_id });
 * service.failNext('timeout'); // what does your code do then?
 * ```
 */
export function createTestService(options: TestServiceOptions = {}): TestService {
  requireOptions(serviceRules, options, 'createTestService');
  const { envelopeOnly = false, monthlyEncryptQuota = null, now: clock = Date.now } = options;
  let ahead = 0;
  const now = () => Math.floor(clock() + ahead);
  const memory = memoryStore({ now });
  const settings = {
    name: 'test',
    envelope_only: envelopeOnly,
    monthly_encrypt_quota: monthlyEncryptQuota,
  };
  const plugins = [people(), issuers(signIns), intake()];
  const own = ownTenant({ memory, plugins, settings, now, operations: serverOperations });
  const { service, tenantId, operator, apiKey: everything } = own;
  const holder = { ...operator, actor: everything.api_key_id, ipAddress };
  const failures: Failures = [];
  const requests: TestRequest[] = [];
  const door = { service, ipAddress, before: own.before };
  const fetch = createFetch(door, failures, (request) => void requests.push(request));
  const connection = { baseUrl, apiKey: everything.api_key, fetch };
  const controls: Omit<TestService, keyof typeof connection> = {
    tenantId,
    requests,
    createKey: (name, fields) => createCall(door, holder)('POST /v1/keys', { ...fields, name }),
    createApiKey: (fields) => createCall(door, operator)('POST /v1/api-keys', { name: 'test', ...fields }),
    setTenant: async (fields) => {
      requireOptions(tenantRules, fields, 'setTenant');
      const { envelopeOnly: envelope_only, monthlyEncryptQuota: monthly_encrypt_quota } = fields;
      await own.before();
      await settle(service, operator, changeTenant({ envelope_only, monthly_encrypt_quota }));
    },
    failNext: (failure, options = {}) => addFailure(failures, failure, options),
    tamper: (id, change) => {
      requireKind(number, id, 'the first argument of `tamper`');
      requireKind(object, change, 'the second argument of `tamper`');
      const log = memory.tenants.get(tenantId)?.tables.get(entries.name);
      const ref = refTo(entries, id);
      const stored = log?.get(ref);
      if (!stored) {
        throw new ServiceError(
          'not_found',
          `the id of an audit entry must be from 1 to ${log?.size ?? 0} (got ${id})`,
        );
      }
      log?.set(ref, { ...stored, row: { ...stored.row, ...rowOf(change) } });
    },
    advance: (milliseconds) => {
      requireKind(numberFrom(0, 1e15), milliseconds, 'the argument of `advance`');
      ahead += milliseconds;
    },
  };
  return withControls(connection, controls);
}

const ipAddress = '127.0.0.1';

/** This service accepts no tokens of sign-ins, and fetches no keys. */
const signIns = {
  verify: () => Promise.resolve(false),
  keyHostFault: () => 'names a host, but this service fetches no keys: send `jwks`',
};

/** Returns the columns of what the API shows of an entry. */
function rowOf({ metadata, created_at, salt, hash, ...columns }: Partial<Entry>): Partial<EntryRow> {
  return {
    ...columns,
    ...(metadata && { metadata: canonicalJson(metadata) }),
    ...(created_at !== undefined && { created_at: Date.parse(created_at) }),
    ...(salt !== undefined && { salt: fromHex(salt) }),
    ...(hash !== undefined && { hash: fromHex(hash) }),
  };
}
