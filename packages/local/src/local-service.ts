import { InputError } from '@eaas/protocol';
import { ServiceError } from '@eaas/protocol/internal';
import { nextTurn } from '@eaas/protocol/internal-turn';
import { flag, type OptionRules, requireOptions, text } from '@eaas/protocol/internal-options';

import { checked, type KeyFields, keyRecord, Refusal } from '@eaas/protocol/service';
import { endpoints, type Input, type Output, permissions } from '@eaas/protocol/wire';
import { openFileTenant } from '#key-file';
import { createApiKey } from './api-keys.ts';
import { baseUrl, createFetch, type Fetch } from './fetch.ts';
import { createKey } from './keys.ts';
import { callBy, type NewTenant, newTenant, type Tenant } from './tenant.ts';

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

/** Options of `localService`. */
export interface LocalServiceOptions {
  /**
   * The path of the key file, such as `.eaas/local.json`. The service makes the file, with mode 600, and its folder.
   * Whoever can read the file can decrypt everything, and without the file nobody can: copy it to a safe place.
   * EAAS_LOCAL_PASSPHRASE or EAAS_LOCAL_KEY_COMMAND locks a new file. On Windows, the service does not check who can
   * read the file. Without `file`, the keys are only in memory.
   */
  readonly file?: string | undefined;
  /**
   * Whether to make the key file if it is missing. Defaults to true. Set it to false once there are values: with a lost
   * file, the service then throws InputError, instead of making a new file that opens none of them.
   */
  readonly create?: boolean | undefined;
}

const serviceRules: OptionRules<LocalServiceOptions> = { file: text, create: flag };

/**
 * Creates a service inside this process, with its keys in a file. It has no audit log, no API keys, no usage and no
 * server mode: their paths return 404, and say how to get a server. Several processes can use one file at once. Without
 * `file`, it is NOT FOR PRODUCTION: when the process ends, the keys are lost, and values under these keys can no longer
 * be decrypted. Throws InputError for a file that is damaged, that does not open, that others can read, or, with
 * `create: false`, that is missing.
 */
export function localService(options: LocalServiceOptions = {}): LocalService {
  requireOptions(serviceRules, options, 'localService');
  const { file, create } = options;
  if (create === false && file === undefined)
    throw new InputError('`create: false` needs `file`: pass the path of the key file');
  const fields: NewTenant = {
    settings: { envelope_only: true, monthly_encrypt_quota: null, rev: 0 },
    clock: () => Date.now(),
    isComplete: false,
  };
  const tenant = file === undefined ? newTenant(fields) : openFileTenant(file, fields, create);
  const { storage } = tenant;
  const { api_key: apiKey } = createApiKey(callBy(tenant, 'operator'), {
    name: 'this process',
    permissions: [...permissions],
  });
  const makeDefault = () => ensureKey(tenant, 'default');
  const { key_id: keyId } =
    findKey(tenant, 'default') ?? (storage ? storage.changeNow(makeDefault) : makeDefault());
  const connection = { baseUrl, apiKey, keyId, fetch: createFetch(tenant) };
  return withControls(connection, {
    tenantId: tenant.tenant_id,
    createKey: async (name: string, fields?: NewKeyFields) => {
      await nextTurn();
      const ensure = () => ensureKey(tenant, name, fields);
      try {
        storage?.refresh();
        return storage && !findKey(tenant, name) ? await storage.change(ensure) : ensure();
      } catch (error) {
        throw clientError(error);
      }
    },
  });
}

function ensureKey(tenant: Tenant, name: string, fields: NewKeyFields = {}): KeyRecord {
  const input = checked(endpoints['POST /v1/keys'].body, { ...fields, name });
  const known = findKey(tenant, name);
  if (!known) return createKey(callBy(tenant, 'operator'), input);
  const { intake = known.intake, exportable = known.exportable } = input;
  if (intake === known.intake && exportable === known.exportable) return keyRecord(known);
  throw new Refusal(
    'name_taken',
    'A key has this name, with another value of `intake` or `exportable`, which cannot be changed: choose another name.',
  );
}

function findKey({ keys }: Tenant, name: string): KeyFields | undefined {
  return Array.from(keys.values(), ({ row }) => row).find(
    (row) => row.name === name && row.status !== 'destroyed',
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

/** Returns the ServiceError that a client throws for a Refusal, and any other error as it is. */
export function clientError(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  return new ServiceError(error.code, error.message, { status: error.problem.status });
}
