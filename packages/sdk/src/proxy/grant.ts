import { type Context, encodeContext, InputError, parseUuid } from '@eaas/protocol';
import type { Operation } from './routes.ts';

/** What a session may do: these operations under these keys, and nothing else. */
export interface Grant {
  /** Ids of keys. None: nothing. */
  readonly keys: readonly string[];
  readonly operations: readonly Operation[];
  /**
   * Bound to every data key that is wrapped, and needed to unwrap it: what the server knows of the session, such as the
   * user's id. The browser can add names, and set none of these. The service logs it: no personal data.
   */
  readonly context?: Context | undefined;
}

/** What is asked for. */
export interface Asked {
  readonly operation: Operation;
  /** The key, in lower case, where the path names it. Of batches and hashes it is in the body, not yet read. */
  readonly keyId: string | undefined;
}

/** Decides what the session behind a request may do; `undefined`, `null` and `false` are nothing. */
export type Authorize = (
  request: Request,
  asked: Asked,
) => Grant | false | null | undefined | Promise<Grant | false | null | undefined>;

const members = /* @__PURE__ */ new Set(['keys', 'operations', 'context']);
const operations: ReadonlySet<unknown> = /* @__PURE__ */ new Set<Operation>([
  'wrap',
  'unwrap',
  'rewrap',
  'hash',
]);

/** A grant in which nothing is left to interpretation. */
export interface CheckedGrant {
  /** In lower case. */
  readonly keys: ReadonlySet<string>;
  readonly operations: ReadonlySet<Operation>;
  readonly context: Context;
}

/** Throws InputError for what is no grant: `true` allows nothing, and a misspelled `context` must not be missed. */
export function checkGrant(answer: unknown): CheckedGrant {
  if (typeof answer !== 'object' || answer === null) throw new InputError('authorize answered no grant');
  const strange = Object.keys(answer).find((name) => !members.has(name));
  if (strange !== undefined)
    throw new InputError(`authorize answered a grant with an unknown member \`${strange}\``);
  const { keys, operations: granted, context } = answer as Partial<Grant>;
  if (!Array.isArray(keys) || keys.some((key) => typeof key !== 'string' || !parseUuid(key))) {
    throw new InputError('authorize has to answer the ids of keys as `keys`');
  }
  if (!Array.isArray(granted) || granted.some((operation) => !operations.has(operation))) {
    throw new InputError('authorize has to answer `operations`: wrap, unwrap, rewrap, hash');
  }
  encodeContext(context);
  return {
    keys: new Set(keys.map((key: string) => key.toLowerCase())),
    operations: new Set(granted as Operation[]),
    context: { ...context },
  };
}
