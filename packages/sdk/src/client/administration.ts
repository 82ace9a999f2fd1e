// The calls that operators make: keys, API keys, sign-ins, people, and server mode.
import { parseUuid, type OptionRules, requireKind, requireOptions, type Rule } from '@eaas/protocol/internal';
import type { Input, Output, Route } from '@eaas/protocol/wire';
import { loadLists } from '../audit/query.ts';
import type { Erasures } from '../data-keys/erasures.ts';
import { type Call, type CallOptions, callOptions } from '../http/transport.ts';
import type { PagesOptions, ReadPage } from '../http/listing.ts';
import { type Caller, person, requireUser, somebody } from '../caller.ts';
import type { ExportedKey } from '../http/whole-export.ts';

// Editors show the comments in this object as the documentation of the client's methods, such as `client.keys.create`.
const keyRoutes = {
  /**
   * Creates a key and returns its `key_id`. Pass this id as the option `keyId` of `encrypt` and other calls. Needs the
   * permission `keys.manage`.
   *
   * @example
   * ```ts
   * const { key_id } = await eaas.keys.create({ name: 'invoices' });
   * const ciphertext = await eaas.encrypt('hello', { keyId: key_id });
   * ```
   */
  create: 'POST /v1/keys',
  /** Returns one page of keys, newest first. Needs the permission `keys.read`. */
  page: 'GET /v1/keys',
  /**
   * Returns a key and its versions, newest first, with their uses. Without a log, as `createLocalService`, it leaves them out. Needs
   * the permission `keys.read`.
   */
  get: 'GET /v1/keys/:key_id',
  /**
   * Adds a version to a key. New data keys are wrapped under the new version. Old ciphertexts still decrypt. If you
   * pass `key_version`, the service rotates the key only if `key_version` is the newest version, so a repeated call
   * does not rotate the key twice. Needs the permission `keys.manage`.
   *
   * @example
   * ```ts
   * await eaas.keys.rotate(keyId);
   * const ciphertext = await eaas.encrypt('under the new version');
   * ```
   */
  rotate: 'POST /v1/keys/:key_id/rotate',
  /** Disables a key. A disabled key still decrypts, but no longer encrypts. Needs the permission `keys.manage`. */
  disable: 'POST /v1/keys/:key_id/disable',
  /** Lets a disabled key encrypt again. Needs the permission `keys.manage`. */
  enable: 'POST /v1/keys/:key_id/enable',
  /**
   * Destroys a disabled key after a grace period of `grace_days` days (30 by default). During the grace period,
   * `restore` cancels the destruction. After the grace period, nobody can decrypt the values under the key. Needs the
   * permission `keys.destroy`.
   *
   * @example
   * ```ts
   * const { key_id } = await eaas.keys.create({ name: 'old invoices' });
   * await eaas.keys.disable(key_id);
   * await eaas.keys.destroy(key_id, { grace_days: 30 });
   * await eaas.keys.restore(key_id); // until then
   * ```
   */
  destroy: 'DELETE /v1/keys/:key_id',
  /** Cancels `destroy` before its grace period ends. The key is then disabled. Needs the permission `keys.destroy`. */
  restore: 'POST /v1/keys/:key_id/restore',
  /**
   * Rotates a key automatically, every `interval_days` days from now on. If `interval_days` is null, the service no
   * longer rotates the key automatically. Needs the permission `keys.manage`.
   *
   * @example
   * ```ts
   * await eaas.keys.setRotationPolicy(keyId, { interval_days: 90 });
   * ```
   */
  setRotationPolicy: 'PUT /v1/keys/:key_id/rotation-policy',
  /**
   * Refuses the values under versions of a key before `key_version`, of which one may be known to somebody: re-encrypt them
   * first. Needs the permission `keys.manage`.
   */
  setMinVersion: 'PUT /v1/keys/:key_id/min-version',
  /**
   * Returns one page of an export: at most 1,000 versions and, with `subjects: true`, at most 1,000 people. Needs the
   * permission `keys.export`.
   */
  exportPage: 'POST /v1/keys/:key_id/export',
} as const;

const apiKeyRoutes = {
  /**
   * Creates an API key. The returned `api_key` is the token, which the service never shows again. Needs the permission
   * `api_keys.manage`.
   *
   * @example
   * ```ts
   * const { api_key } = await eaas.apiKeys.create({
   *   name: 'web shop',
   *   permissions: ['encrypt', 'decrypt'],
   *   key_ids: [keyId],
   * });
   * await store(api_key); // the service never shows it again
   * ```
   */
  create: 'POST /v1/api-keys',
  /** Returns one page of API keys, newest first. Needs the permission `api_keys.manage`. */
  page: 'GET /v1/api-keys',
  /** Returns an API key without its token. Needs the permission `api_keys.manage`. */
  get: 'GET /v1/api-keys/:api_key_id',
  /**
   * Changes the name, permissions or other members of an API key. Members that you do not pass stay unchanged. Needs
   * the permission `api_keys.manage`.
   */
  update: 'PATCH /v1/api-keys/:api_key_id',
  /**
   * Revokes an API key for ever. From then on, the service refuses calls with this API key. Needs the permission
   * `api_keys.manage`.
   */
  revoke: 'DELETE /v1/api-keys/:api_key_id',
} as const;

const issuerRoutes = {
  /**
   * Lets the service accept the tokens of a sign-in. Pass the returned `issuer_id` as the option `issuer` of a client.
   * Needs the permission `api_keys.manage`.
   *
   * @example
   * ```ts
   * const { issuer_id } = await eaas.issuers.create({
   *   name: 'sign-in of the app',
   *   issuer: 'https://login.example',
   *   audience: 'app',
   *   jwks: { keys: [publicJwk] },
   *   permissions: ['encrypt', 'decrypt'],
   *   key_ids: [keyId],
   * });
   * ```
   */
  create: 'POST /v1/issuers',
  /**
   * Returns one page of issuers, newest first, without their `jwks` and `require`. Needs the permission `api_keys.manage`.
   */
  page: 'GET /v1/issuers',
  /** Returns an issuer. Needs the permission `api_keys.manage`. */
  get: 'GET /v1/issuers/:issuer_id',
  /**
   * Changes the keys, permissions or other members of an issuer, also for tokens that exist. Members that you do not pass
   * stay unchanged. Needs the permission `api_keys.manage`.
   */
  update: 'PATCH /v1/issuers/:issuer_id',
  /**
   * Revokes an issuer for ever. From then on, the service refuses the tokens of this sign-in. Needs the permission
   * `api_keys.manage`.
   */
  revoke: 'DELETE /v1/issuers/:issuer_id',
} as const;

// Accepts only a UUID. Otherwise, an API key that the caller passes by mistake would be in the URL, which servers and
// proxies often log.
const recordId: Rule = (value) => (typeof value === 'string' && !!parseUuid(value)) || 'a UUID from `create`';

const serverModeRoutes = {
  /** Sends a text to the service, which encrypts it. Needs the permission `encrypt`. */
  encrypt: 'POST /v1/encrypt',
  /** Sends a ciphertext to the service, which decrypts it. Needs the permission `decrypt`. */
  decrypt: 'POST /v1/decrypt',
} as const;

// The id in a route is the first argument.
type IdIn<R> = R extends `${string}:${infer Rest}`
  ? Rest extends `${infer Id}/${string}`
    ? Id
    : Rest
  : never;
type Given<R extends Route> = Omit<CallInput<R>, IdIn<R>>;
type Arguments<R extends Route> = [
  ...(IdIn<R> extends never ? [] : [id: string]),
  ...(object extends Given<R> ? [input?: Given<R>] : [input: Given<R>]),
  options?: CallOptions,
];
export type Calls<Routes> = {
  readonly [Name in keyof Routes]: (
    ...given: Arguments<Routes[Name] & Route>
  ) => Promise<Output<Routes[Name] & Route>>;
};

// An undefined subject would mean nobody, so the type refuses it.
type CallInput<R extends Route> =
  unknown extends Input<R>
    ? Readonly<Record<string, never>>
    : { readonly [Name in keyof Input<R>]: Name extends 'subject' ? string : Input<R>[Name] };

/** The filter of `keys.list` and `keys.page`. */
type KeyFilter = Omit<Input<'GET /v1/keys'>, 'limit' | 'offset'>;
type ExportInput = Omit<Input<'POST /v1/keys/:key_id/export'>, 'key_id' | 'from_version' | 'from_subject'>;
type NoFilter = Readonly<Record<string, never>>;
/** A key, as `keys.list` yields it. */
export type KeyRecord = Output<'GET /v1/keys'>['keys'][number];
/** An API key without its token, as `apiKeys.list` yields it. */
export type ApiKeyRecord = Output<'GET /v1/api-keys'>['api_keys'][number];
/** An issuer without its `jwks` and `require`, as `issuers.list` yields it. */
export type IssuerRecord = Output<'GET /v1/issuers'>['issuers'][number];

/**
 * The methods of `client.keys`: `list`, `create`, `page`, `get`, `rotate`, `disable`, `enable`, `destroy`, `restore`,
 * `setRotationPolicy`, `setMinVersion`, `export` and `exportPage`.
 */
export type KeyCalls = Calls<typeof keyRoutes> & {
  /**
   * Yields the matching keys, newest first. With the filter `status`, a key can be missing if its status changes during
   * the listing.
   *
   * @example
   * ```ts
   * for await (const { key_id, name, status } of eaas.keys.list()) console.error(key_id, name, status);
   * ```
   */
  list(filter?: KeyFilter, options?: PagesOptions): AsyncGenerator<KeyRecord, void, undefined>;
  /**
   * Returns the secrets of an exportable key, encrypted with your RSA public key: those of all versions and, with `subjects:
   * true`, of all people of the tenant, without whom no value of a person opens. With the secrets, values can be decrypted
   * without the service and without audit entries. Each page that it reads is an audit entry. Needs the permission
   * `keys.export`.
   */
  export(id: string, input: ExportInput, options?: CallOptions): Promise<ExportedKey>;
};

/** The methods of `client.apiKeys`: `list`, `create`, `page`, `get`, `update` and `revoke`. */
export type ApiKeyCalls = Calls<typeof apiKeyRoutes> & {
  /** Yields every API key, newest first. */
  list(filter?: NoFilter, options?: PagesOptions): AsyncGenerator<ApiKeyRecord, void, undefined>;
};

/** The methods of `client.issuers`: `list`, `create`, `page`, `get`, `update` and `revoke`. */
export type IssuerCalls = Calls<typeof issuerRoutes> & {
  /** Yields every issuer, newest first, without its `jwks` and `require`. */
  list(filter?: NoFilter, options?: PagesOptions): AsyncGenerator<IssuerRecord, void, undefined>;
};

/**
 * The methods of `client.serverMode`: `encrypt` and `decrypt`. These methods run in the service, which therefore sees
 * the plaintext.
 */
export type ServerModeCalls = Calls<typeof serverModeRoutes>;

export function keyCalls(call: Call): KeyCalls {
  const calls = bind(call, keyRoutes);
  return {
    ...(withList(calls, 'keys', 'key_id') as KeyCalls),
    export: async (id, input, options = {}) =>
      (await loadLists()).wholeExport((page) => calls.exportPage(id, page, options), input),
  };
}

export const apiKeyCalls = (call: Call) =>
  withList(bind(call, apiKeyRoutes), 'api_keys', 'api_key_id') as ApiKeyCalls;

export const issuerCalls = (call: Call) =>
  withList(bind(call, issuerRoutes), 'issuers', 'issuer_id') as IssuerCalls;

function withList(calls: object, member: string, id: string): object {
  const { page } = calls as { readonly page: ReadPage };
  async function* list(filter?: object, options?: PagesOptions) {
    yield* (await loadLists()).listPages(page, filter, member, id, options);
  }
  return { ...calls, list };
}

export const serverModeCalls = (call: Call, erasures: Erasures, caller: Caller): ServerModeCalls =>
  bind(async (route, input, options) => {
    const { user } = caller;
    const sent = { ...(user !== undefined && { user }), ...Object(input) };
    requireUser({ ...caller, user: sent.user });
    if ('subject' in sent) requireKind(person, sent.subject, '`subject`');
    return erasures.ask(sent.subject, () => call(route, sent, options));
  }, serverModeRoutes);

function bind<Routes extends object>(call: Call, routes: Routes): Calls<Routes> {
  const bound = (Object.entries(routes) as [string, Route][]).map(([name, route]) => [
    name,
    async (...given: readonly unknown[]) => {
      const [, id] = /:(\w+)/.exec(route) ?? [];
      const [input = {}, options = {}] = (id ? given.slice(1) : given) as [object?, CallOptions?];
      requireOptions(callOptions, options, name);
      requireKind('object', input, `what \`${name}\` sends`);
      if (id) requireKind(recordId, given[0], `the id of \`${name}\``);
      return call(route, id ? { ...input, [id]: given[0] } : input, options);
    },
  ]);
  return Object.fromEntries(bound) as Calls<Routes>;
}

/** A person, by the `subject` that you pass to `encrypt`, or by the id that the service keeps of it. */
export type SubjectName =
  | { readonly subject: string; readonly subjectId?: undefined }
  | { readonly subjectId: string; readonly subject?: never };

/** Options of `subjects.erase`. */
export interface EraseOptions extends CallOptions {
  /**
   * If true, a subject that was never used is remembered as erased, so that a delayed job cannot bring it back. By
   * default, the call throws ServiceError `not_found` for such a subject.
   */
  readonly create?: boolean | undefined;
}

/** The methods of `client.subjects`: `show` and `erase`. */
export interface SubjectCalls {
  /**
   * Returns the id of a subject, when it was first used, and when it was erased. Needs the permission `audit.read`.
   *
   * @example
   * ```ts
   * await eaas.encrypt('dry cough', { subject: 'patient-7' });
   * const { subject_id, erased_at } = await eaas.subjects.show({ subject: 'patient-7' });
   * console.log(erased_at); // null
   * ```
   */
  show(name: SubjectName, options?: CallOptions): Promise<Output<'POST /v1/subjects/show'>>;
  /**
   * Erases the secret of a subject, **for ever**: nothing that was encrypted under the subject opens again, in any table,
   * replica or backup of your app. This client also overwrites its data keys of this person, and asks no more about them;
   * the data keys of other clients end with their lifetime. A repeated call returns the same. Needs the permission `subjects.erase`.
   *
   * @example
   * ```ts
   * const ciphertext = await eaas.encrypt('dry cough', { subject: 'patient-8' });
   * await eaas.subjects.erase({ subject: 'patient-8' });
   * const error = await eaas.decrypt(ciphertext, { subject: 'patient-8' }).catch((error: unknown) => error);
   * if (error instanceof ServiceError) console.log(error.code); // subject_erased
   * ```
   */
  erase(name: SubjectName, options?: EraseOptions): Promise<Output<'POST /v1/subjects/erase'>>;
}

const names: OptionRules<{ subject?: string; subjectId?: string }> = { subject: somebody, subjectId: 'text' };

/** Returns a subject as the API names it. The service refuses a call with both names or none. */
function wireName(name: SubjectName, of: string) {
  requireOptions<object>(names, name, of);
  return { subject: name.subject, subject_id: name.subjectId };
}

/** `drop` removes the data keys of a subject from the memory of the client, or those of all subjects. */
export function subjectCalls(call: Call, erasures: Erasures, drop: (subject?: string) => void): SubjectCalls {
  return {
    async show(name, options = {}) {
      const body = wireName(name, 'subjects.show');
      requireOptions(callOptions, options, 'subjects.show');
      return call('POST /v1/subjects/show', body, options);
    },
    async erase(name, options = {}) {
      const body = wireName(name, 'subjects.erase');
      requireOptions({ signal: 'signal', create: 'flag' }, options, 'subjects.erase');
      const { create, signal } = options;
      try {
        const erased = await call('POST /v1/subjects/erase', { ...body, create }, { signal });
        if (name.subject !== undefined) erasures.add(name.subject);
        return erased;
      } finally {
        // Also after an error, because the service might have erased the subject before a connection broke.
        drop(name.subject);
      }
    },
  };
}
