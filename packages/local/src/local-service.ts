import { ServiceError } from '@eaas/protocol/internal';

import { checked, keyRecord, Refusal } from '@eaas/protocol/service';
import { endpoints, type Input, type Output, permissions } from '@eaas/protocol/wire';
import { createApiKey } from './api-keys.ts';
import { baseUrl, createFetch, type Fetch } from './fetch.ts';
import { createKey } from './keys.ts';
import { callBy, newTenant, type Tenant } from './tenant.ts';

type KeyRecord = Output<'POST /v1/keys'>;
type NewKeyFields = Omit<Input<'POST /v1/keys'>, 'name'>;

/** A service inside this process: `new EaasClient({ service: localService() })`. It has one tenant. */
export interface LocalService {
  /** The URL that `fetch` responds to. No request leaves the process. */
  readonly baseUrl: string;
  /** The API key of this process, for `fetch`. */
  readonly apiKey: string;
  /** Responds to requests to `baseUrl`. All other requests fail. */
  readonly fetch: Fetch;
  /** The id of the key `default`, which the client uses if it has no other `keyId`. */
  readonly keyId: string;
  /** The id of the tenant. */
  readonly tenantId: string;
  /**
   * Returns the key with this name, and creates it if there is none. Throws ServiceError `name_taken` if that key has
   * another `intake` or `exportable` than `fields` asks for.
   */
  createKey(name: string, fields?: NewKeyFields): Promise<KeyRecord>;
}

/**
 * Creates a service inside this process, in memory. NOT FOR PRODUCTION: when the process ends, the keys are lost, and
 * values under these keys can no longer be decrypted. It has no audit log, no API keys, no usage and no server mode:
 * their paths return 404.
 */
export function localService(): LocalService {
  const tenant = newTenant({
    settings: { envelope_only: true, monthly_encrypt_quota: null, rev: 0 },
    clock: Date.now,
    isComplete: false,
  });
  const { api_key: apiKey } = createApiKey(callBy(tenant, 'operator'), {
    name: 'this process',
    permissions: [...permissions],
  });
  const { key_id: keyId } = ensureKey(tenant, 'default');
  const connection = { baseUrl, apiKey, keyId, fetch: createFetch(tenant) };
  return withControls(connection, {
    tenantId: tenant.tenant_id,
    createKey: async (name: string, fields?: NewKeyFields) => asClient(() => ensureKey(tenant, name, fields)),
  });
}

function ensureKey(tenant: Tenant, name: string, fields: NewKeyFields = {}): KeyRecord {
  const input = checked(endpoints['POST /v1/keys'].body, { ...fields, name });
  const known = Array.from(tenant.keys.values(), ({ row }) => row).find(
    (row) => row.name === name && row.status !== 'destroyed',
  );
  if (!known) return createKey(callBy(tenant, 'operator'), input);
  const { intake = known.intake, exportable = known.exportable } = input;
  if (intake === known.intake && exportable === known.exportable) return keyRecord(known);
  throw new Refusal(
    'name_taken',
    'A key has this name, with another value of `intake` or `exportable`, which cannot be changed: choose another name.',
  );
}

/**
 * Adds members that are not enumerable, so that an object that spreads the service does not contain them. A client
 * would throw an error for these unknown options.
 */
export function withControls<Connection extends object, Controls extends object>(
  connection: Connection,
  controls: Controls,
): Connection & Controls {
  for (const [name, value] of Object.entries(controls)) Object.defineProperty(connection, name, { value });
  return connection as Connection & Controls;
}

/** Throws ServiceError instead of Refusal, as a client does. */
export function asClient<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new ServiceError(error.code, error.message, { status: error.problem.status });
  }
}
