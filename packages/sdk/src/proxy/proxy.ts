// `createProxy`: answers the pages of an app, with the API key that they must not have. A session can do what `authorize` grants.
import { InputError, parseUuid } from '@eaas/protocol';
import {
  badRequest,
  bodyTooLarge,
  parseBody,
  Refusal,
  requireBodyType,
} from '@eaas/protocol/internal-service';
import { limits } from '@eaas/protocol/wire';
import type { ServiceError } from '../errors.ts';
import { within } from '../http/abortable.ts';
import { readAll } from '../http/read-all.ts';
import { ask, endpointOf, type Target } from './calls.ts';
import { type CheckedGrant, checkGrant, type ProxyOperation } from './grant.ts';
import { checkOptions, type ProxyOptions, type Settings } from './options.ts';

export type { ProxyCall, ProxyAuthorize, ProxyGrant, ProxyOperation } from './grant.ts';
export { nodeRequestOf, type NodeRequest, type NodeResponse, toNodeHandler } from './node-handler.ts';
export type { ProxyEvent, ProxyOptions } from './options.ts';

/**
 * Creates a proxy between the app's pages and the service, for the app's own backend. The proxy holds the API key, and
 * each session can make only the calls that `authorize` grants. Throws InputError for invalid options. The proxy responds
 * to each request of a page, and throws only for an argument that is no `Request`.
 *
 * @example
 * ```ts
 * import { createProxy } from '@eaas/sdk/proxy';
 *
 * const proxy = createProxy({
 *   baseUrl: process.env.EAAS_BASE_URL!,
 *   apiKey: process.env.EAAS_API_KEY!,
 *   async authorize(request) {
 *     const session = await findSession(request.headers.get('cookie'));
 *     return session && { keys: [keyId], operations: ['wrap', 'unwrap'], context: { user: session.userId } };
 *   },
 * });
 * ```
 */
export function createProxy(options: ProxyOptions): (request: Request) => Promise<Response> {
  const settings = checkOptions(options);
  return async (request) => {
    if (typeof Object(request).clone !== 'function') {
      throw new InputError(
        'the argument of the proxy must be a Request: in Express, Fastify and node:http, mount toNodeHandler(proxy)',
      );
    }
    try {
      const { output, requestId } = await answer(request, settings);
      return respond(200, 'application/json', output, requestId);
    } catch (error) {
      const isRefusal = error instanceof Refusal;
      if (!isRefusal) settings.report({ type: 'failed', error });
      const { problem, requestId } = isRefusal ? error : broken();
      return respond(problem.status, 'application/problem+json', problem, requestId);
    }
  };
}

async function answer(request: Request, settings: Settings) {
  const { pathname, search } = new URL(request.url);
  const { signal } = request;
  const target = requireTarget(request.method, pathname, settings.basePath);
  if (!isFromOwnPage(request, settings)) throw refuseOrigin(request, settings);
  const grant = await requireGrant(request, target, settings);
  const body = parseBody(endpointOf(target), await readBody(request, settings.timeout));
  if (search !== '') throw new Refusal('bad_request', 'The request must not have query parameters.');
  return ask(body, { target, grant, settings: { ...settings, report: onceEach(settings.report) }, signal });
}

const paths = /^\/v1\/(?:keys\/([^/]+)\/(wrap|unwrap|rewrap)|batch\/(wrap|unwrap|rewrap|hash)|(hash))$/;

/** Paths are not decoded, so that percent-encoded characters are in no path that is known. */
function requireTarget(method: string, path: string, basePath: string): Target {
  const found = path.startsWith(basePath) ? paths.exec(path.slice(basePath.length)) : null;
  const [, key, ofKey, ofBatch, hash] = found ?? [];
  const keyId = key === undefined ? undefined : parseUuid(key);
  if (!found || (key !== undefined && !keyId)) {
    throw new Refusal(
      'not_found',
      'The path of this request does not exist: check that `proxyUrl` of the client ends with `basePath` ' +
        'of the proxy, and that the path contains the id of the key, not the name of the key.',
    );
  }
  if (method !== 'POST') throw new Refusal('method_not_allowed', 'Send a POST request.');
  return { operation: (ofKey ?? ofBatch ?? hash) as ProxyOperation, batch: ofBatch !== undefined, keyId };
}

/**
 * Returns whether a page of the app sent the request, so that pages of other sites cannot use a visitor's session.
 * Programs can forge `Origin` and `Sec-Fetch-Site`, but pages cannot.
 */
function isFromOwnPage(request: Request, { origin, allowedOrigins, allowWithoutOrigin }: Settings): boolean {
  const from = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  if (from === 'null') return false;
  if (from !== null && allowedOrigins.includes(from)) return true;
  // Compares the origin even if `Sec-Fetch-Site` is `same-origin`. An attacker can make the host name of a malicious
  // page resolve to this server. The browser then sends `same-origin` with the requests of this page.
  if (from !== null && origin !== undefined && from !== origin) return false;
  if (site !== null) return site === 'same-origin';
  if (from !== null) return from === (origin ?? new URL(request.url).origin);
  return allowWithoutOrigin === true;
}

function refuseOrigin({ headers, url }: Request, settings: Settings): Refusal {
  const shown = (name: string): string | undefined => headers.get(name)?.slice(0, 256);
  settings.report({
    type: 'origin_refused',
    origin: shown('origin'),
    secFetchSite: shown('sec-fetch-site'),
    expected: [settings.origin ?? new URL(url).origin, ...settings.allowedOrigins],
  });
  return new Refusal(
    'origin_refused',
    "Only pages of the app itself can use this proxy. The event `origin_refused` in the app's backend names the reason.",
  );
}

async function requireGrant(request: Request, target: Target, settings: Settings): Promise<CheckedGrant> {
  const { operation, keyId } = target;
  let grant: CheckedGrant | undefined;
  try {
    const decided: unknown = await settings.authorize(request, { operation, keyId });
    if (decided) grant = checkGrant(decided);
  } catch (error) {
    // `authorize` made no valid decision about the session, so the status is 500 and not 403.
    settings.report({ type: 'authorize_failed', error });
    throw broken();
  }
  if (!grant?.operations.has(operation)) {
    settings.report({ type: 'grant_refused', missing: grant ? 'operation' : 'session', operation, keyId });
    throw new Refusal('permission_missing', `The app does not allow this session to ${operation}.`);
  }
  // Fingerprints are equal for everyone, so they have no context, no subject and no user.
  return operation === 'hash' ? { ...grant, context: {}, subject: undefined, user: undefined } : grant;
}

/** Of a batch, thousands of items can fail in the same way. */
function onceEach(report: Settings['report']): Settings['report'] {
  const known = new Set<string>();
  return (event) => {
    if (!known.has(event.type)) report(event);
    known.add(event.type);
  };
}

function broken(): Refusal {
  return new Refusal(
    'internal',
    'The app had an unexpected error while it processed this request. The event `failed` or ' +
      "`authorize_failed` in the app's backend contains the error.",
  );
}

function respond(status: number, type: string, body: object, requestId: string | undefined): Response {
  const headers = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-type': type,
    ...(requestId !== undefined && { 'x-request-id': requestId }),
    ...(status === 405 && { allow: 'POST' }),
    ...(status === 503 && { 'retry-after': '1' }),
  };
  return new Response(JSON.stringify(body), { status, headers });
}

async function readBody(request: Request, timeout: number): Promise<Uint8Array> {
  const { headers, signal } = request;
  // Accepts only JSON, because forms of other sites cannot send JSON. Scripts of other sites can send JSON only after a
  // preflight, which the proxy refuses.
  requireBodyType(headers.get('content-type'), headers.get('content-encoding'), true);
  const tooLarge = () => bodyTooLarge(limits.body);
  if (Number(headers.get('content-length') ?? 0) > limits.body) throw tooLarge();
  if (request.bodyUsed) {
    throw new InputError(
      '`authorize` must not read the body of its request, which the proxy reads later: read `request.clone()` instead',
    );
  }
  // Not before: a framework may begin to read the body when it is asked for.
  const { body } = request;
  if (!body) return new Uint8Array(0);
  return within((stop) => readAll(body, limits.body, tooLarge, stop), timeout, signal).catch(
    (error: unknown) => {
      if (error instanceof Refusal) throw error;
      if ((error as Partial<ServiceError> | null)?.code !== 'timeout') {
        throw badRequest('the connection was closed before the whole request body arrived');
      }
      const detail = 'The whole request did not arrive in time: send the request again, without pauses.';
      throw new Refusal('bad_request', detail, { status: 408, title: 'Request Timeout' });
    },
  );
}
