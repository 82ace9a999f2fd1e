// What the proxy asks the service for a session: it judges each item by the grant, and hides what concerns the app alone.
import { type Context, EaasError, encodeContext, parseUuid } from '@eaas/protocol';
import { fromBase64 } from '@eaas/protocol/internal-base64';
import { attempt, isSubjectWrapped, nextTurn } from '@eaas/protocol/internal';
import {
  badRequest,
  checked,
  orRefusal,
  Refusal,
  refusalOf,
  resultOf,
} from '@eaas/protocol/internal-service';
import { type Endpoint, endpoints, type ProblemCode } from '@eaas/protocol/wire';
import type { ServiceErrorCode } from '../errors.ts';
import { coalesce, type Single } from '../http/batches.ts';
import { createTransport } from '../http/transport.ts';
import type { ProxyCall, CheckedGrant, ProxyOperation } from './grant.ts';
import type { Settings } from './options.ts';

/** What a session asks for, as the path says. */
export interface Target extends ProxyCall {
  readonly batch: boolean;
}

const routeOf = (operation: ProxyOperation): Single =>
  operation === 'hash' ? 'POST /v1/hash' : `POST /v1/keys/:key_id/${operation}`;

export const endpointOf = ({ operation, batch }: Target): Endpoint =>
  endpoints[batch ? (`POST /v1/batch/${operation}` as const) : routeOf(operation)];

/** A call of a session that may make it. Its settings emit each kind of event once. */
export interface GrantedCall {
  readonly target: Target;
  readonly grant: CheckedGrant;
  readonly settings: Settings;
  readonly signal: AbortSignal;
}

interface Fields extends Record<string, unknown> {
  readonly key_id?: string;
  readonly context?: Context | undefined;
  readonly subject?: string | undefined;
  readonly user?: string | undefined;
  readonly wrapped_key?: string;
}

/** Makes a call, or a batch of calls in which an item that is refused does not fail the others. */
export async function ask(body: unknown, granted: GrantedCall) {
  const { target, settings, signal } = granted;
  let requestId: string | undefined;
  const call = createTransport(
    { ...settings, timeouts: { total: settings.timeout, attempt: settings.timeout }, retries: 0 },
    async (_, input, send) => send({ authorization: `Bearer ${await tokenOf(granted)}` }, input),
    (event) => {
      requestId = event.type === 'call' ? event.requestId : undefined;
    },
  );
  const single = routeOf(target.operation);
  const send = coalesce(call, single, { total: settings.timeout, retries: 0 });
  const output: Endpoint['output'] = endpoints[single].output;
  const answerTo = async (fields: Fields | Refusal): Promise<object> => {
    if (fields instanceof Refusal) throw fields;
    const answer = await send(fields as never, { signal }).catch((error: unknown) => {
      throw refusalFor(error, granted, requestId);
    });
    // Without members that the service added, and without receipts, which tell how much the whole app encrypts.
    return output.parse(answer);
  };
  const { body: schema, item } = endpointOf(target);
  if (!target.batch) {
    const { user, ...fields } = judge(body, schema, granted);
    return { output: await answerTo({ ...fields, user: userFor(granted, user) }), requestId };
  }
  const { items, user } = checked(schema as never, body) as { items: readonly unknown[]; user?: string };
  const acting = { user: userFor(granted, user) };
  const judged: (Fields | Refusal)[] = [];
  for (const one of items) {
    judged.push(orRefusal(() => ({ ...judge(one, item, granted), ...acting })));
    // A large batch must not delay other requests of the app's backend.
    if (judged.length % 50 === 0) await nextTurn();
  }
  const results = await Promise.all(
    judged.map(async (one, nth) => {
      const answer = await answerTo(one).catch(refusalOf);
      return resultOf(items[nth], answer, undefined);
    }),
  );
  return { output: { results }, requestId };
}

/** Returns the item as the service gets it. Throws a Refusal for one that the grant does not allow. */
function judge(value: unknown, schema: Endpoint['body'], granted: GrantedCall): Fields {
  const { grant, settings } = granted;
  const { batch, keyId: inPath, operation } = granted.target;
  if (value instanceof Refusal) throw value;
  const fields: Fields = checked(schema as never, value, batch ? 'item' : 'body');
  const { key_id, reference: _, context, subject: _named, ...rest } = fields;
  const bound = boundContext(grant.context, context);
  const subject = boundSubject(grant, fields);
  const keyId = parseUuid(inPath ?? key_id ?? '');
  if (!keyId || !grant.keys.has(keyId)) {
    settings.report({ type: 'grant_refused', missing: 'key', operation, keyId });
    throw new Refusal(
      'not_found',
      'Key not found: pass the id of a key that the app allows this session to use.',
    );
  }
  return { ...rest, key_id: keyId, context: bound, subject };
}

/**
 * Returns the subject of a call. With a subject in the grant, the data keys of nobody are refused too: a rewrap could
 * otherwise make the value of an intake writer one of this person.
 */
function boundSubject(grant: CheckedGrant, { subject, wrapped_key: wrapped }: Fields): string | undefined {
  const { subject: granted } = grant;
  if (granted === undefined) {
    if (subject === undefined) return undefined;
    throw new Refusal('permission_missing', 'The app does not allow this session to name a `subject`.');
  }
  const isAllowed =
    typeof granted === 'string'
      ? subject === undefined || subject === granted
      : // Only `true` allows: a promise, for example, does not.
        subject !== undefined && (granted as (subject: string) => unknown)(subject) === true;
  if (!isAllowed || (wrapped !== undefined && !isSubjectWrapped(fromBase64(wrapped)))) {
    throw new Refusal(
      'permission_missing',
      'The app does not allow this session to use this data key: pass the `subject` of a person whose data this user can use.',
    );
  }
  return typeof granted === 'string' ? granted : subject;
}

/** Returns the user for the audit log. */
function userFor({ grant: { user } }: GrantedCall, asserted: string | undefined): string | undefined {
  if (asserted !== undefined && asserted !== user) {
    throw badRequest('`user` must be the user of this session, whom the app names: leave it out');
  }
  return user;
}

function boundContext(set: Context, added: Context = {}): Context | undefined {
  const taken = Object.keys(added).find((name) => Object.hasOwn(set, name));
  if (taken !== undefined) {
    throw badRequest(
      `\`context\` cannot have the name \`${taken.slice(0, 64)}\`, because the app sets this name`,
    );
  }
  const context = { ...added, ...set };
  if (Object.keys(context).length === 0) return undefined;
  if (!attempt(() => encodeContext(context))) {
    throw badRequest('`context` is too large together with the names that the app adds');
  }
  return context;
}

async function tokenOf({ settings: { apiKey, report } }: GrantedCall): Promise<string> {
  try {
    return typeof apiKey === 'string' ? apiKey : await apiKey();
  } catch (error) {
    report({ type: 'failed', error });
    throw unavailable(502, undefined);
  }
}

/** The error codes that browsers receive. Codes about the app's API key are not in this set. */
const passedOn: ReadonlySet<string> = /* @__PURE__ */ new Set<ProblemCode>([
  'bad_request',
  // The service can refuse a body that the proxy accepted. The proxy makes the body longer: it adds the grant's
  // context, and a `reference` for each batch item.
  'too_large',
  'not_found',
  'key_state',
  'subject_erased',
  'wrapped_key_unauthentic',
  'audit_unwritten',
  'internal',
]);

/** Returns what the page learns of a failed call. What the operator must mend is in an event. */
function refusalFor(error: unknown, { settings }: GrantedCall, requestId: string | undefined): unknown {
  if (!(error instanceof EaasError)) return error;
  const code = error.code as ServiceErrorCode | 'aborted';
  if (passedOn.has(code)) return new Refusal(code as ProblemCode, error.message, { requestId });
  // Nobody waits for this answer: the browser closed the connection.
  if (code === 'aborted') return unavailable(504, requestId);
  if (code === 'network' || code === 'timeout' || code === 'invalid_response' || code === 'unavailable') {
    settings.report({ type: 'service_failed', reason: code, requestId });
  } else settings.report({ type: 'api_key_refused', code, requestId });
  if (code === 'timeout') return unavailable(504, requestId);
  return unavailable(code === 'unavailable' ? 503 : 502, requestId);
}

const titles = { 502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout' } as const;

function unavailable(status: keyof typeof titles, requestId: string | undefined): Refusal {
  const detail = 'The key service is not available at the moment: send the request again later.';
  return new Refusal('unavailable', detail, { status, title: titles[status], requestId });
}
