// What a session can do: the grant that the app returns for it.
import { type Context, encodeContext, parseUuid } from '@eaas/protocol';
import { personName, type OptionRules, requireOptions } from '@eaas/protocol/internal';
import { person, required } from '../caller.ts';

const operations = ['wrap', 'unwrap', 'rewrap', 'hash'] as const;

/** The operations that a grant can allow, in single calls and in batches. */
export type ProxyOperation = (typeof operations)[number];

/** The operations and keys that a session can use. A session can do nothing else. */
export interface ProxyGrant {
  /** The ids of the keys that the session can use. An empty list allows nothing. */
  readonly keys: readonly string[];
  readonly operations: readonly ProxyOperation[];
  /**
   * The context of every data key that the session wraps. Unwrapping needs the same context. Use facts that the app
   * knows about the session, such as the user's id. The browser can add names, but cannot change a name or value that
   * the app sets. The service logs the context, so the context must not contain personal data.
   */
  readonly context?: Context | undefined;
  /**
   * The person whose data keys the session can use, and no others: each call must belong to this subject. With a
   * function, the session names the subjects, and the function returns `true` for those that it can use. Without
   * `subject`, the session can use only data keys that belong to nobody. Undefined is an error.
   */
  readonly subject?: string | ((subject: string) => boolean);
  /** The user of the session, for the audit log. The browser cannot name another. */
  readonly user?: string | undefined;
}

/** Describes the call that a browser requests. */
export interface ProxyCall {
  readonly operation: ProxyOperation;
  /**
   * The key id in lower case. Undefined for batches and hashes, whose key ids are in the body that the proxy has not
   * read yet.
   */
  readonly keyId: string | undefined;
}

/** Returns what the session of a request can do. `undefined`, `null` and `false` allow nothing. */
export type ProxyAuthorize = (
  request: Request,
  asked: ProxyCall,
) => ProxyGrant | false | null | undefined | Promise<ProxyGrant | false | null | undefined>;

const isKeyId = (key: unknown): boolean => typeof key === 'string' && parseUuid(key) !== undefined;
const isOperation = (given: unknown): boolean => (operations as readonly unknown[]).includes(given);

const grantRules: OptionRules<ProxyGrant> = {
  keys: required((value) => (Array.isArray(value) && value.every(isKeyId)) || 'an array of key ids (UUIDs)'),
  operations: required(
    (value) =>
      (Array.isArray(value) && value.every(isOperation)) || `an array of '${operations.join("', '")}'`,
  ),
  context: 'object',
  subject: required((value) => typeof value === 'function' || person(value, '')),
  user: person,
};

export type CheckedGrant = ReturnType<typeof checkGrant>;

/** Throws InputError for anything but a grant, such as `true` or a misspelt name. */
export function checkGrant(returned: unknown) {
  const grant = { keys: undefined, operations: undefined, ...Object(returned) } as ProxyGrant;
  requireOptions(grantRules, grant, 'the grant from authorize');
  const { keys, context, subject, user } = grant;
  encodeContext(context);
  return {
    keys: new Set(keys.map((key) => key.toLowerCase())),
    operations: new Set(grant.operations),
    context: { ...context },
    subject: typeof subject === 'string' ? personName(subject) : subject,
    user: user && personName(user),
  };
}
