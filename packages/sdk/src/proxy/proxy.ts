import { InputError } from '@eaas/protocol';
import {
  badRequest,
  bodyTooLarge,
  parseBody,
  Refusal,
  requireBodyType,
} from '@eaas/protocol/internal-service';
import { type Endpoint, endpoints, limits } from '@eaas/protocol/wire';
import { longest } from '../transport/abortable.ts';
import { type Answered, askBatch, askOne } from './calls.ts';
import { type CheckedGrant, checkGrant } from './grant.ts';
import { checkOptions, type ProxyOptions, type Settings } from './options.ts';
import { findTarget, type Target } from './routes.ts';

export type { Asked, Authorize, Grant } from './grant.ts';
export { nodeRequestOf, type NodeRequest, type NodeResponse, toNodeHandler } from './node-handler.ts';
export type { ProxyEvent, ProxyOptions } from './options.ts';
export type { Operation } from './routes.ts';

/**
 * A function that responds to a request from a client in a page. The returned promise rejects only if the argument is
 * not a `Request`.
 */
export type Proxy = (request: Request) => Promise<Response>;

/**
 * Creates a proxy between the app's pages and the service, for the app's own backend. The proxy holds the API key, and
 * each session can make only the calls that `authorize` grants. Throws InputError for invalid options.
 */
export function createProxy(options: ProxyOptions): Proxy {
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
      if (error instanceof Refusal) return refuse(error);
      settings.report({ type: 'failed', error });
      return refuse(broken());
    }
  };
}

async function answer(request: Request, settings: Settings): Promise<Answered> {
  const { pathname, search } = new URL(request.url);
  const target = requireTarget(request.method, pathname, settings.basePath);
  if (!isFromOwnPage(request, settings)) throw refuseOrigin(request, settings);
  const grant = await requireGrant(request, target, settings);
  const { signal, end } = deadlineOf(settings.timeout, request.signal, new DOMException('', 'TimeoutError'));
  try {
    const body = await readJson(request, endpoints[target.route], signal);
    if (search !== '') throw new Refusal('bad_request', 'The request must not have query parameters.');
    const ask = target.batch ? askBatch : askOne;
    const onKeyRefused = keyReporter(target, settings);
    return await ask(body, { target, grant, settings, signal, onKeyRefused });
  } finally {
    end();
  }
}

function requireTarget(method: string, path: string, basePath: string): Target {
  const target = path.startsWith(basePath) ? findTarget(path.slice(basePath.length)) : undefined;
  if (!target)
    throw new Refusal(
      'not_found',
      'The path of this request does not exist: check that `proxyUrl` of the client ends with `basePath` ' +
        'of the proxy, and that the path contains the id of the key, not the name of the key.',
    );
  if (method !== 'POST') throw new Refusal('method_not_allowed', 'Send a POST request.');
  return target;
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
  return allowWithoutOrigin;
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
  return grant;
}

function keyReporter({ operation }: Target, settings: Settings): (keyId: string | undefined) => void {
  let isReported = false;
  return (keyId) => {
    if (!isReported) settings.report({ type: 'grant_refused', missing: 'key', operation, keyId });
    isReported = true;
  };
}

function broken(): Refusal {
  return new Refusal(
    'internal',
    'The app had an unexpected error while it processed this request. The event `failed` or ' +
      "`authorize_failed` in the app's backend contains the error.",
  );
}

function refuse({ problem, requestId }: Refusal): Response {
  return respond(problem.status, 'application/problem+json', problem, requestId);
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

async function readJson(request: Request, endpoint: Endpoint, signal: AbortSignal): Promise<unknown> {
  const { headers } = request;
  // Accepts only JSON, because forms of other sites cannot send JSON. Scripts of other sites can send JSON only after a
  // preflight, which the proxy refuses.
  requireBodyType(headers.get('content-type'), headers.get('content-encoding'), true);
  return parseBody(endpoint, await readBytes(request, limits.body, signal));
}

async function readBytes(request: Request, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw bodyTooLarge(limit);
  if (request.bodyUsed)
    throw new InputError(
      '`authorize` must not read the body of its request, which the proxy reads later: read `request.clone()` instead',
    );
  if (!request.body) return new Uint8Array(0);
  const reader = request.body.getReader();
  const giveUp = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    for (let length = 0; ;) {
      const { done, value } = await reader.read().catch(() => {
        throw badRequest('the connection was closed before the whole request body arrived');
      });
      if (signal.aborted) throw notInTime();
      if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
      length += value.length;
      if (length > limit) throw bodyTooLarge(limit);
      chunks.push(value);
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
    giveUp();
  }
}

/**
 * `AbortSignal.any` and `AbortSignal.timeout` are not used, because Node 20 can garbage-collect their signals too
 * early.
 */
function deadlineOf(milliseconds: number, outer?: AbortSignal | null, reason?: Error) {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(reason), Math.min(milliseconds, longest));
  if (outer?.aborted) abort();
  outer?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    end: (): void => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}

/** 408: the request did not arrive in time. */
function notInTime(): Refusal {
  const status = { status: 408, title: 'Request Timeout' };
  const detail = 'The whole request did not arrive in time: send the request again, without pauses.';
  return new Refusal('bad_request', detail, status);
}
