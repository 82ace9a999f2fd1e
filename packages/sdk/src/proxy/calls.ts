import { type Context, encodeContext, parseUuid } from '@eaas/protocol';
import { fromBase64 } from '@eaas/protocol/base64';
import { isSubjectWrapped } from '@eaas/protocol/internal';
import { badRequest, checked, orRefusal, Refusal, resultOf } from '@eaas/protocol/internal-service';
import {
  type Endpoint,
  endpoints,
  type Problem,
  type ProblemCode,
  problemDocument,
  type Receipt,
  type Route,
} from '@eaas/protocol/wire';
import { isName } from '../exchange/outputs.ts';
import { abortable } from '../transport/abortable.ts';
import { areInOrder, withReferences } from '../transport/references.ts';
import { inSlices } from '../transport/slices.ts';
import type { CheckedGrant } from './grant.ts';
import type { Settings } from './options.ts';
import type { Target } from './routes.ts';

export interface Answered {
  readonly output: object;
  readonly requestId: string | undefined;
}

interface Call {
  readonly target: Target;
  readonly grant: CheckedGrant;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly onKeyRefused: (keyId: string | undefined) => void;
}

export async function askOne(body: unknown, call: Call): Promise<Answered> {
  const { target, settings, signal } = call;
  const { key_id, user: asserted, ...given } = judge(body, endpoints[target.route].body, call);
  const fields = { ...given, ...userFor(call, asserted) };
  return askService(settings, target.route, key_id, target.keyId ? fields : { key_id, ...fields }, signal);
}

export async function askBatch(body: unknown, call: Call): Promise<Answered> {
  const { route } = call.target;
  const { item, body: schema }: Endpoint = endpoints[route];
  if (!schema || !item) throw new Error(`expected a batch route, such as POST /v1/batch/wrap (got ${route})`);
  const { items, user: asserted } = checked(schema, body) as { items: readonly unknown[]; user?: string };
  const user = userFor(call, asserted);
  // A large batch must not delay other requests of the app's backend.
  const judged = await inSlices(items, (one) => orRefusal(() => judge(one, item, call)));
  const allowed = judged.flatMap((one) => (one instanceof Refusal ? [] : [one]));
  const { answers, requestId } = await askForAll(allowed, user, call);
  const inOrder = answers.values();
  const results = judged.map((one, nth) => {
    const answer = one instanceof Refusal ? one : inOrder.next().value;
    return resultOf(items[nth], answer ?? badGateway(requestId), undefined);
  });
  return { output: { results }, requestId };
}

/** Asks the service for all items that the session may send, and returns an answer for each. */
async function askForAll(items: readonly Fields[], user: object, { target, settings, signal }: Call) {
  if (items.length === 0) return { answers: [], requestId: undefined };
  const sent = withReferences(items);
  const { output, requestId } = await askService(
    settings,
    target.route,
    '',
    { items: sent, ...user },
    signal,
  );
  const { results } = output as { results: readonly Result[] };
  if (!areInOrder(results, sent)) throw failed(settings, 'invalid_response', requestId);
  // The ids of entries would tell a browser how much the whole app encrypts.
  const answers = results.map((result) => {
    const { reference: _, entry: _entry, error, ...answer } = result;
    return error ? forBrowser(settings, error, requestId) : answer;
  });
  return { answers, requestId };
}

interface Result {
  readonly error?: Problem;
  readonly reference?: string;
  readonly entry?: Receipt;
}

interface Fields extends Record<string, unknown> {
  readonly key_id?: string;
  readonly context?: Context;
  readonly subject?: string;
  readonly user?: string;
  readonly wrapped_key?: string;
}

function judge(
  value: unknown,
  schema: NonNullable<Endpoint['body']>,
  { target: { operation, batch, keyId: inPath }, grant, onKeyRefused }: Call,
): Fields & { readonly key_id: string } {
  if (value instanceof Refusal) throw value;
  const fields: Fields = checked(schema, value, batch ? 'item' : 'body');
  const { key_id, reference: _, context, subject: _named, ...rest } = fields;
  const bound = isHash({ operation }) ? undefined : boundContext(grant.context, context);
  const person = isHash({ operation }) ? undefined : boundSubject(grant, fields);
  const keyId = parseUuid(inPath ?? key_id ?? '');
  if (!keyId || !grant.keys.has(keyId)) {
    onKeyRefused(keyId);
    throw new Refusal(
      'not_found',
      'Key not found: pass the id of a key that the app allows this session to use.',
    );
  }
  return {
    key_id: keyId,
    ...rest,
    ...(bound && { context: bound }),
    ...(person !== undefined && { subject: person }),
  };
}

/**
 * Returns the subject of a call. With a subject in the grant, the data keys of nobody are refused too: a rewrap could
 * otherwise make the value of an intake writer one of this person.
 */
function boundSubject(
  { subject: granted }: CheckedGrant,
  { subject, wrapped_key: wrapped }: Fields,
): string | undefined {
  if (granted === undefined) {
    if (subject === undefined) return undefined;
    throw new Refusal('permission_missing', 'The app does not allow this session to name a `subject`.');
  }
  const isAllowed =
    typeof granted === 'string'
      ? subject === undefined || subject === granted
      : // Only `true` allows: a promise, for example, does not.
        subject !== undefined && (granted as (subject: string) => unknown)(subject) === true;
  const person = typeof granted === 'string' ? granted : subject;
  if (!isAllowed || (wrapped !== undefined && !isSubjectWrapped(fromBase64(wrapped)))) {
    throw new Refusal(
      'permission_missing',
      'The app does not allow this session to use this data key: pass the `subject` of a person whose data this user can use.',
    );
  }
  return person;
}

/** Returns the user for the audit log. */
function userFor({ grant, target }: Call, asserted: string | undefined): { readonly user?: string } {
  if (asserted !== undefined && asserted !== grant.user)
    throw badRequest('`user` must be the user of this session, whom the app names: leave it out');
  const { user } = grant;
  return user === undefined || isHash(target) ? {} : { user };
}

/** Fingerprints are equal for everyone, so they have no context, no subject and no user. */
const isHash = ({ operation }: Pick<Target, 'operation'>): boolean => operation === 'hash';

function boundContext(set: Context, added: Context = {}): Context | undefined {
  const taken = Object.keys(added).find((name) => Object.hasOwn(set, name));
  if (taken !== undefined) {
    throw badRequest(
      `\`context\` cannot have the name \`${taken.slice(0, 64)}\`, because the app sets this name`,
    );
  }
  const context = { ...added, ...set };
  if (Object.keys(context).length === 0) return undefined;
  try {
    encodeContext(context);
  } catch {
    throw badRequest('`context` is too large together with the names that the app adds');
  }
  return context;
}

async function askService(
  settings: Settings,
  route: Route,
  keyId: string,
  body: object,
  signal: AbortSignal,
): Promise<Answered> {
  const path = route.slice('POST '.length).replace(':key_id', keyId);
  const token = await tokenOf(settings, signal);
  let response: Response;
  try {
    // Copies `fetch` to a variable. In browsers and edge runtimes, `fetch` throws if it is called as a method of
    // another object, such as `settings.fetch(…)`.
    const { fetch } = settings;
    const asking = fetch(settings.baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      // Does not follow redirects, because a redirected request would contain the API key. Does not use
      // `redirect: 'error'`, because some runtimes lack it.
      redirect: 'manual',
      signal,
    });
    response = await abortable(asking, signal);
  } catch {
    // Throws a new error, because the error of `fetch` might contain the header with the API key.
    throw signal.aborted ? tooLate(settings, signal) : failed(settings, 'network', undefined);
  }
  const id = response.headers.get('x-request-id');
  const requestId = isName(id) ? id : undefined;
  const json: unknown = await abortable(response.json(), signal).catch(() => undefined);
  const { output }: Endpoint = endpoints[route];
  const result = response.status === 200 ? output.safeParse(json) : undefined;
  if (result?.success) return { output: result.data, requestId };
  const refused = response.status >= 400 ? problemDocument.safeParse(json) : undefined;
  if (refused?.success) throw forBrowser(settings, refused.data, requestId);
  throw signal.aborted ? tooLate(settings, signal) : failed(settings, 'invalid_response', requestId);
}

async function tokenOf(settings: Settings, signal: AbortSignal): Promise<string> {
  const { apiKey } = settings;
  try {
    // Stops waiting for the app's function `apiKey` when the signal aborts, because the function does not receive the
    // signal.
    return typeof apiKey === 'string' ? apiKey : await abortable((async () => apiKey())(), signal);
  } catch (error) {
    if (signal.aborted) throw tooLate(settings, signal);
    settings.report({ type: 'failed', error });
    throw badGateway(undefined);
  }
}

function tooLate(settings: Settings, { reason }: AbortSignal): Refusal {
  // Reports only timeouts. The signal also aborts if the browser closes the connection, which is not a failure of the
  // service.
  if (reason instanceof DOMException && reason.name === 'TimeoutError') {
    settings.report({ type: 'service_failed', reason: 'timeout', requestId: undefined });
  }
  const status = { status: 504, title: 'Gateway Timeout' };
  return new Refusal(
    'unavailable',
    'The key service did not respond in time: send the request again.',
    status,
  );
}

function failed(
  settings: Settings,
  reason: 'network' | 'invalid_response',
  requestId: string | undefined,
): Refusal {
  settings.report({ type: 'service_failed', reason, requestId });
  return badGateway(requestId);
}

function badGateway(requestId: string | undefined): Refusal {
  const status = { status: 502, title: 'Bad Gateway', requestId };
  return new Refusal(
    'unavailable',
    'The key service is not available at the moment: try again later.',
    status,
  );
}

/** The error codes that browsers receive. Codes about the app's API key are not in this set. */
const passedOn: ReadonlySet<ProblemCode> = /* @__PURE__ */ new Set<ProblemCode>([
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

function forBrowser(
  settings: Settings,
  { code, detail }: Pick<Problem, 'code' | 'detail'>,
  requestId: string | undefined,
): Refusal {
  if (passedOn.has(code)) return new Refusal(code, detail, { requestId });
  if (code === 'unavailable') {
    return new Refusal(code, 'The key service is not available at the moment: try again.', { requestId });
  }
  settings.report({ type: 'api_key_refused', code, requestId });
  return badGateway(requestId);
}
