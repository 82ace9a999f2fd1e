import type { Endpoint, Problem } from '@eaas/protocol/wire';
import { admit, noteUse } from './admit.ts';
import type { Call } from './call.ts';
import { readInput } from './input.ts';
import { settleDueKeys } from './key-changes.ts';
import { Refusal } from './refusal.ts';
import { type Found, findRoute, locationOf, MethodRefused } from './routes.ts';
import { run } from './run.ts';
import type { Tenant } from './tenant.ts';

/** Answers a request, its body read, as the real service would; or with the problem that is given. */
export async function answer(
  tenant: Tenant,
  request: Request,
  body: Uint8Array,
  instead?: Problem,
): Promise<Response> {
  const headers = new Headers({
    'cache-control': 'no-store',
    vary: 'Origin',
    'x-request-id': crypto.randomUUID(),
  });
  try {
    const found = findRoute(request.method, new URL(request.url).pathname);
    return instead
      ? answerProblem(instead, headers)
      : await answerCall(tenant, found, request, body, headers);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error instanceof MethodRefused) {
      if (isPreflight(request)) return answerPreflight(error.allowed, request, headers);
      headers.set('allow', error.allowed.join(', '));
    }
    return answerProblem(error.problem, headers);
  }
}

async function answerCall(
  tenant: Tenant,
  { route, endpoint, parameters }: Found,
  request: Request,
  body: Uint8Array,
  headers: Headers,
): Promise<Response> {
  settleDueKeys(tenant);
  try {
    const call = admitFrom(tenant, endpoint, request, headers);
    const input = readInput(endpoint, request, body, parameters);
    const output = await run(route, endpoint, call, input);
    const { status = 200 } = endpoint;
    if (status === 201) headers.set('location', locationOf(route, output));
    return json(output, status, 'application/json', headers);
  } finally {
    noteUse(tenant, request.headers);
  }
}

function admitFrom(tenant: Tenant, endpoint: Endpoint, request: Request, headers: Headers): Call {
  const origin = request.headers.get('origin');
  try {
    const call = admit(tenant, endpoint, request.headers);
    if (origin !== null) allowOrigin(headers, origin);
    return call;
  } catch (error) {
    // A page learns that its API key has expired; one of an origin that is not listed learns nothing.
    const isUnlisted = error instanceof Refusal && error.code === 'origin_refused';
    if (origin !== null && !isUnlisted) allowOrigin(headers, origin);
    throw error;
  }
}

/** A problem document. A detail names fields, and somebody may have sent an API key as the name of one. */
function answerProblem(problem: Problem, headers: Headers): Response {
  const { status } = problem;
  if (status === 401) headers.set('www-authenticate', 'Bearer');
  if (status === 503) headers.set('retry-after', '1');
  const detail = problem.detail.replace(/eaas_sk_\w+/g, 'eaas_sk_…').toWellFormed();
  return json({ ...problem, detail }, status, 'application/problem+json', headers);
}

function json(body: object, status: number, type: string, headers: Headers): Response {
  headers.set('content-type', type);
  return new Response(JSON.stringify(body), { status, headers });
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method');
}

function answerPreflight(allowed: readonly string[], request: Request, headers: Headers): Response {
  allowOrigin(headers, request.headers.get('origin') ?? '');
  headers.set('access-control-allow-methods', allowed.join(', '));
  headers.set('access-control-allow-headers', 'Authorization, Content-Type');
  headers.set('access-control-max-age', '600');
  return new Response(null, { status: 204, headers });
}

function allowOrigin(headers: Headers, origin: string): void {
  if (!/^(?:null|[a-z][a-z0-9+.-]*:\/\/[a-z0-9.:[\]-]+)$/.test(origin)) return;
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-expose-headers', 'X-Request-Id, Retry-After');
}
