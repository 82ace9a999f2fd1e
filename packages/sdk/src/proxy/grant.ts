import { type Context, encodeContext, InputError, parseUuid } from '@eaas/protocol';
import { personName } from '@eaas/protocol/internal';
import { anything, context, kindOf, type OptionRules, requireOptions } from '@eaas/protocol/internal-options';
import { naming, person } from '../options/people.ts';
import { type Operation, operations } from './routes.ts';

/** The operations and keys that a session can use. A session can do nothing else. */
export interface Grant {
  /** The ids of the keys that the session can use. An empty list allows nothing. */
  readonly keys: readonly string[];
  readonly operations: readonly Operation[];
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
export interface Asked {
  readonly operation: Operation;
  /**
   * The key id in lower case. Undefined for batches and hashes, whose key ids are in the body that the proxy has not
   * read yet.
   */
  readonly keyId: string | undefined;
}

/** Returns what the session of a request can do. `undefined`, `null` and `false` allow nothing. */
export type Authorize = (
  request: Request,
  asked: Asked,
) => Grant | false | null | undefined | Promise<Grant | false | null | undefined>;

const subject = naming((value) => typeof value === 'function' || person(value, ''));
const members: OptionRules<Grant> = {
  keys: anything,
  operations: anything,
  context,
  subject,
  user: person,
};

export type CheckedGrant = ReturnType<typeof checkGrant>;

export function checkGrant(returned: unknown) {
  if (typeof returned !== 'object' || returned === null) {
    throw new InputError(
      `\`authorize\` must return a grant (an object) or undefined (got ${kindOf(returned)})`,
    );
  }
  requireOptions<Grant>(members, returned as Grant, 'grant');
  const { keys, operations: granted, context, subject, user } = returned as Partial<Grant>;
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== 'string' || !parseUuid(key))) {
    throw new InputError('the grant that `authorize` returns must have `keys`, an array of key ids (UUIDs)');
  }
  if (
    !Array.isArray(granted) ||
    granted.some((operation) => !(operations as readonly unknown[]).includes(operation))
  ) {
    throw new InputError(
      `the grant that \`authorize\` returns must have \`operations\`, an array of '${operations.join("', '")}'`,
    );
  }
  encodeContext(context);
  return {
    keys: new Set(keys.map((key: string) => key.toLowerCase())),
    operations: new Set(granted as Operation[]),
    context: { ...context },
    subject: typeof subject === 'string' ? personName(subject) : subject,
    user: user && personName(user),
  };
}
