// The service of an app without a server: a tenant with its keys in a file, or in memory, and no log.
// Apps call it, and hand it to a client.
import { InputError } from '@eaas/protocol';
import {
  callback,
  positiveInteger,
  toHex,
  flag,
  type OptionRules,
  requireOptions,
  type Rule,
  nextTurn,
} from '@eaas/protocol/internal';
import { genesisHash } from '@eaas/protocol/audit';
import { type Endpoint, endpoints, type Input, type Output, type Route } from '@eaas/protocol/wire';
import {
  type Caller,
  checked,
  insider,
  intake,
  keyRecord,
  keysNamed,
  type Part,
  partOf,
  people,
  Refusal,
  type Service,
  settle,
} from '@eaas/service';
import { openKeyFileStore } from '#key-file';
import { type Call, createCall } from './call.ts';
import type { LocalDoor } from './door.ts';
import { baseUrl, createFetch, type Fetch } from './fetch.ts';
import { keysInMemory, type KeyStore, refuseAsUnavailable } from './key-store.ts';
import { storeKeeping } from './memory-store.ts';
import { isProduction } from './opener.ts';
import type { Open } from './opening.ts';
import { clientError, type OwnTenant, ownTenant, withControls } from './own-tenant.ts';
import { lockedStore, newSealed, openSealed, sealedStore } from './sealed.ts';
import { keysOfSecrets } from './secret.ts';

type KeyRecord = Output<'POST /v1/keys'>;
type NewKeyFields = Omit<Input<'POST /v1/keys'>, 'name'>;

/** A service inside this process: `new EaasClient({ service: createLocalService() })`. It has one tenant. */
export interface LocalService {
  /** The URL that `fetch` responds to. No request leaves the process. */
  readonly baseUrl: string;
  /** The API key of this process, for `fetch`. No spread, JSON or log shows it. With `open`, reading it throws until the keys are open. */
  readonly apiKey: string;
  /** Responds to requests to `baseUrl`. All other requests fail. */
  readonly fetch: Fetch;
  /** Answers what a client asks for, without a request. Throws ServiceError. */
  readonly call: Call;
  /** The id of the key `default`, which the client uses if it has no other `keyId`. */
  readonly keyId: string;
  /** The id of the tenant. */
  readonly tenantId: string;
  /**
   * Resolves when the keys are open, for a check at the start. With `open`, the first call opens them otherwise. Throws
   * ServiceError `unavailable` if `open` fails, and InputError if it returns something else than what opens the keys.
   */
  ready(): Promise<void>;
  /**
   * Returns the key with this name, and creates it if there is none. Throws ServiceError `name_taken` if that key has
   * another `intake` or `exportable` than `fields` asks for.
   */
  createKey(name: string, fields?: NewKeyFields): Promise<KeyRecord>;
}

/** Options of `createLocalService`: keys are in a file, in a text, derived from secrets, or only in memory. */
export type LocalServiceOptions = Options & (Only<'file'> | Only<'sealed'> | Only<'secret'>);

type Source = 'file' | 'sealed' | 'secret';
type Only<Name extends Source> = { readonly [Other in Exclude<Source, Name>]?: never };

interface Options {
  /**
   * The path of the key file, such as `.eaas/local.json`. The service makes the file, with mode 600, and its folder.
   * Whoever can read the file can decrypt everything, and without the file nobody can: copy it to a safe place.
   * EAAS_LOCAL_PASSPHRASE or EAAS_LOCAL_KEY_COMMAND locks a new file. On Windows, the service does not check who can
   * read the file. Without `file`, `sealed` and `secret`, the keys are only in memory.
   */
  readonly file?: string | undefined;
  /**
   * The keys themselves, as one text: the variable EAAS_LOCAL, which `npx --no-install @eaas/local new` prints. For platforms
   * without a disk, such as edge runtimes: nothing is written. Whoever has the text can decrypt everything, and without it
   * nobody can. Keys cannot be created, and there are no people: those need a file or a server.
   */
  readonly sealed?: string | undefined;
  /**
   * A secret that the app has already, such as its ENCRYPTION_KEY, from which the keys are derived, or a list of secrets with the
   * oldest first: 32 hexadecimal digits or more, or characters of base64, made by a program such as `openssl rand -hex 32`. The
   * last one encrypts, and all decrypt. The first one never retires. As with `sealed`, there are no other keys and no people.
   */
  readonly secret?: string | readonly string[] | undefined;
  /** The place, from 1, of the secret that encrypts, while a new one is deployed. Defaults to the last. */
  readonly current?: number | undefined;
  /**
   * Opens the lock of `sealed`, if a key service has locked it: sends the bytes that it gets to the key service, and returns the 32
   * bytes of the answer. Called at the first call, for all calls together; again after a failure, and every 2 seconds while the key
   * service has not answered: the first answer counts.
   */
  readonly open?: Open | undefined;
  /**
   * Whether to make the key file if it is missing. Defaults to true. Set it to false once there are values: with a lost
   * file, the service then throws InputError, instead of making a new file that opens none of them.
   */
  readonly create?: boolean | undefined;
}

/** An option that is there but has no value is a mistake, such as a variable that is not set: keys in memory would be lost. */
const given = (rule: Rule): Rule => Object.assign(rule.bind(undefined), { refusesUndefined: true });

const filled = (expected: string): Rule =>
  given((value) => (typeof value === 'string' && value.trim() !== '') || expected);

const serviceRules: OptionRules<Options> = {
  file: filled('the path of the key file, such as `.eaas/local.json`'),
  sealed: filled('the text that `npx --no-install @eaas/local new` printed: is the variable set?'),
  secret: given((value) => value !== undefined || 'a secret or a list of them: is the variable set?'),
  current: positiveInteger,
  open: given(callback),
  create: flag,
};

/**
 * Creates a service inside this process, with its keys in a file, in a text such as a variable, or derived from a secret of the app. It has no audit log, no
 * API keys, no usage and no server mode: their paths return 404, and say how to get a server. Several processes can use one
 * file at once. Without `file`, `sealed` and `secret`, it is NOT FOR PRODUCTION: when the process ends, the keys are lost, and
 * values under these keys can no longer be decrypted. Throws InputError for keys that are damaged or do not open, for a file that
 * others can read, with `create: false` for one that is missing, and without keys if NODE_ENV is `production`.
 *
 * @example
 * ```ts
 * import { createLocalService } from '@eaas/local';
 * import { EaasClient } from '@eaas/sdk';
 *
 * const eaas = new EaasClient({ service: createLocalService({ file: '.eaas/local.json' }) });
 * const ciphertext = await eaas.encrypt('hello');
 * console.log(await eaas.decrypt(ciphertext, { as: 'text' })); // hello
 * ```
 */
export function createLocalService(options: LocalServiceOptions = {}): LocalService {
  requireOptions<Options>(serviceRules, options, 'createLocalService');
  const { file, sealed, secret, current, open, create } = options;
  const sources = [file, sealed, secret].filter((source) => source !== undefined).length;
  if (sources > 1) {
    throw new InputError(
      `pass either \`file\`, \`sealed\` or \`secret\`, which has the keys (got ${sources})`,
    );
  }
  if (current !== undefined && secret === undefined) {
    throw new InputError('`current` needs `secret`: pass the secrets, of which it names one');
  }
  if (open && sealed === undefined) {
    throw new InputError('`open` needs `sealed`: pass the text that a key service locked');
  }
  if (create === false && file === undefined) {
    throw new InputError('`create: false` needs `file`: pass the path of the key file');
  }
  if (sources === 0 && isProduction()) {
    throw new InputError(
      'in production (NODE_ENV), `createLocalService()` would encrypt under keys that are lost when the process ends: pass ' +
        '`sealed`, `secret` or `file`, and in tests use `createTestService`',
    );
  }
  const now = () => Date.now();
  // Without a log, which it has no calls for.
  const memory = storeKeeping(() => {}, { now });
  const keysNow = (): KeyStore => {
    if (file !== undefined) return openKeyFileStore(file, memory, create);
    if (secret !== undefined) return sealedStore(keysOfSecrets(secret, current), memory, now);
    if (sealed === undefined) return keysInMemory(newSealed(now()), memory);
    return sealedStore(openSealed(sealed), memory, now);
  };
  const locked = open && sealed !== undefined ? lockedStore(sealed, open, memory, now) : undefined;
  const known = locked ?? keysNow();
  let kept = 'store' in known ? known : undefined;
  const ready = async (): Promise<void> => {
    kept ??= await locked?.opened();
  };
  const settings = { name: 'local', envelope_only: true };
  let made: OwnTenant | undefined;
  // The first call makes it: it draws random bytes, which Workers have only while they answer a request.
  function own(): OwnTenant {
    if (!kept) throw new InputError('the keys are not open yet: await `ready()` of the local service first');
    made ??= ownTenant({ memory, kept, plugins: [people(), intake()], settings, now });
    return made;
  }
  const opened = () => ready().catch((error: unknown) => refuseAsUnavailable(error, error));
  const before = (): Promise<void> => (kept ? own().before() : opened().then(before));
  const { tenantId, keyId } = known;
  const operator = insider(tenantId, 'operator');
  const door: LocalDoor = {
    get service() {
      return own().service;
    },
    before: async (route) => {
      requireRouteOfLocalService(route);
      await before();
    },
    shownWithoutLog: (route, answer) => ({ ...answer, ...withoutLog[route]?.(tenantId) }),
  };
  const fetch = createFetch(door);
  const connection = {
    baseUrl,
    get apiKey() {
      return own().apiKey.api_key;
    },
    keyId,
    fetch,
  };
  Object.defineProperty(connection, 'apiKey', { enumerable: false });
  return withControls(connection, {
    tenantId,
    ready,
    call: createCall(door, { ...operator, isUser: true }),
    createKey: async (name: string, fields?: NewKeyFields) => {
      await nextTurn();
      try {
        await before();
        const { service } = own();
        return (await settle(service, operator, ensureKey(service, operator, name, fields))).answer;
      } catch (error) {
        throw clientError(error);
      }
    },
  });
}

/** Returns the key with a name, or makes it. */
function ensureKey(
  service: Service,
  caller: Caller,
  name: string,
  fields: NewKeyFields = {},
): Part<KeyRecord> {
  const input = checked(endpoints['POST /v1/keys'].body, { ...fields, name });
  const making = partOf(service, caller, 'POST /v1/keys', input);
  return {
    ...making,
    judge(view, holder) {
      const [row] = view.all(keysNamed(input.name)).rows;
      if (!row) return making.judge(view, holder);
      const known = keyRecord(row, service.fields);
      const { intake: isIntake = known.intake, exportable = known.exportable } = input;
      if (isIntake === known.intake && exportable === known.exportable) return { entries: [], answer: known };
      throw new Refusal(
        'name_taken',
        'A key has this name, with another value of `intake` or `exportable`, which cannot be changed: choose another name.',
      );
    },
  };
}

function requireRouteOfLocalService(route: Route): void {
  const { serverMode, onServers }: Endpoint = endpoints[route];
  if (!serverMode && !onServers) return;
  const detail =
    'A local service has no audit log, no API keys, no issuers, no usage and no server mode. For these, start a server, and move ' +
    'the key file into it with `eaas import`: no value needs to be encrypted again.';
  throw new Refusal('not_found', detail);
}

/** What a service without a log answers where another names an entry, or says how often a version was used. */
const withoutLog: Partial<Record<Route, (tenantId: string) => object>> = {
  'GET /v1/keys/:key_id': () => ({ versions: [] }),
  'POST /v1/subjects/erase': (tenantId) => ({ entry: { id: 0, hash: toHex(genesisHash(tenantId)) } }),
};
