import { type Context, encodeContext, parseUuid } from '@eaas/protocol';
import { endpoints, type Endpoint, explain, isWellFormedJson } from '@eaas/protocol/wire';
import { sentence } from './body.ts';
import type { CheckedGrant } from './grant.ts';
import { Refusal } from './refusal.ts';
import type { Target } from './routes.ts';

/** A call, or an item of a batch, as it may be made: rebuilt from the fields that it can have. */
export interface Allowed {
  readonly keyId: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Judges a call, or an item of a batch, by the schema and the grant. Throws the 400, then the 404. */
export function judge(value: unknown, target: Target, grant: CheckedGrant): Allowed {
  if (!isWellFormedJson(value)) {
    throw new Refusal('bad_request', 'A text has a lone surrogate: it is not valid Unicode.');
  }
  const { item, body }: Endpoint = endpoints[target.route];
  const { key_id, reference: _, context, ...rest } = checked(item ?? body, value, item ? 'item' : 'body');
  const bound = target.operation === 'hash' ? undefined : boundContext(grant.context, context);
  const keyId = parseUuid(target.keyId ?? key_id ?? '');
  if (!keyId || !grant.keys.has(keyId)) {
    throw new Refusal('not_found', 'Key not found: give the id of a key that the app lets you use.');
  }
  return { keyId, fields: { ...rest, ...(bound && { context: bound }) } };
}

/** A value by a schema, with the fields that the schema knows. Throws the 400, which names fields and no values. */
export function checked(schema: Endpoint['body'], value: unknown, what = 'body'): Fields {
  const parsed = schema?.safeParse(value);
  if (parsed?.success) return parsed.data;
  const reason = parsed ? explain(parsed.error, value) : 'the body is not for this call';
  throw new Refusal('bad_request', sentence(reason.replace(/^the body/, `the ${what}`)));
}

interface Fields extends Record<string, unknown> {
  readonly key_id?: string;
  readonly context?: Context;
}

/** The server's context with what the browser adds; a name that the server sets is refused, whatever its value. */
function boundContext(set: Context, added: Context = {}): Context | undefined {
  const taken = Object.keys(added).find((name) => Object.hasOwn(set, name));
  if (taken !== undefined) {
    throw new Refusal(
      'bad_request',
      `\`context\` cannot have the name \`${taken.slice(0, 64)}\`: the app sets it.`,
    );
  }
  const context = { ...added, ...set };
  if (Object.keys(context).length === 0) return undefined;
  try {
    encodeContext(context);
  } catch {
    throw new Refusal('bad_request', "`context` is too large together with the app's own part.");
  }
  return context;
}
