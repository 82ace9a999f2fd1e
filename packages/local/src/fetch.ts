// `fetch` to a service inside this process, with the failures that a test asks for. Both services of the package have one.
import { InputError } from '@eaas/protocol';
import { nextTurn, positiveInteger, requireOptions, text } from '@eaas/protocol/internal';
import { orRefusal } from '@eaas/protocol/internal-service';
import { endpoints, type ProblemCode, problems, type Route } from '@eaas/protocol/wire';
import { Refusal } from '@eaas/service';
import { type LocalDoor, respond } from './door.ts';
import { findRoute } from './routes.ts';

/**
 * A problem code of the service, or another failure: `network` (the request does not arrive), `answer_lost` (the call
 * succeeds, but its response is lost), `timeout` (no response arrives), `invalid_response` (the response does not
 * follow the API).
 */
export type TestFailure = ProblemCode | 'network' | 'answer_lost' | 'timeout' | 'invalid_response';

/** Decides which requests a test service makes fail. */
export interface FailureOptions {
  /** The number of requests that fail. Defaults to 1. A retry of the client counts as another request. */
  readonly times?: number | undefined;
  /** The route whose requests fail. Defaults to all routes. */
  readonly route?: Route | undefined;
}

/** A completed call: its route and its status, but not its input and its output. */
export interface TestRequest {
  /** The route of the call. Null for an unknown route. */
  readonly route: Route | null;
  /** The HTTP status of the response. Null if the client received no response. */
  readonly status: number | null;
  /** The number of items in the batch. Absent for a single call. */
  readonly items?: number;
}

export type Failures = { readonly failure: TestFailure; readonly route: Route | undefined; left: number }[];

export function addFailure(failures: Failures, failure: TestFailure, options: FailureOptions): void {
  requireOptions({ times: positiveInteger, route: text }, options, 'failNext');
  const { times = 1, route } = options;
  if (!refusalOf(failure) && !/^(network|answer_lost|timeout|invalid_response)$/.test(failure)) {
    throw new InputError(
      `unknown failure \`${failure}\`: pass the code of a problem such as \`unavailable\`, or another value of the type \`TestFailure\``,
    );
  }
  if (route !== undefined && !Object.hasOwn(endpoints, route)) {
    throw new InputError(`unknown route \`${route}\`: pass a route such as \`POST /v1/keys\``);
  }
  failures.push({ failure, route, left: times });
}

function refusalOf(failure: TestFailure | undefined): Refusal | undefined {
  return failure !== undefined && Object.hasOwn(problems, failure)
    ? new Refusal(failure as ProblemCode, 'The test asked for this failure.')
    : undefined;
}

/** How to call a service inside this process. */
export type Fetch = (input: Parameters<typeof fetch>[0], init?: RequestInit) => Promise<Response>;

export const baseUrl = 'https://eaas.test';

export function createFetch(
  door: LocalDoor,
  failures: Failures = [],
  onSeen: (request: TestRequest) => void = () => {},
): Fetch {
  let turn: Promise<unknown> = Promise.resolve();
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal, url, method } = request;
    signal.throwIfAborted();
    const { origin, pathname } = new URL(url);
    if (origin !== baseUrl) {
      throw new TypeError(`fetch failed: the service in this process responds only to ${baseUrl}`);
    }
    const body = new Uint8Array(await request.clone().arrayBuffer());
    await nextTurn();
    const found = orRefusal(() => findRoute(method, pathname));
    const route = found instanceof Refusal ? null : found.route;
    const next = failures.find((one) => one.left > 0 && route !== null && (one.route ?? route) === route);
    if (next) next.left--;
    const failure = next?.failure;
    const seen = { route, ...itemsIn(route, body) };
    const see = (status: number | null) => onSeen({ ...seen, status });
    const early = failEarly(failure, signal);
    if (early) return early.finally(() => see(failure === 'invalid_response' ? 200 : null));
    const refusal = refusalOf(failure);
    const inside = refusal ? { ...door, before: () => Promise.reject(refusal) } : door;
    const work = turn.then(() => respond(inside, request));
    turn = work.catch(() => {});
    const response = await work;
    if (failure === 'answer_lost' || signal.aborted) see(null);
    if (failure === 'answer_lost') throw lost();
    signal.throwIfAborted();
    see(response.status);
    return response;
  };
}

function failEarly(failure: TestFailure | undefined, signal: AbortSignal): Promise<Response> | undefined {
  if (failure === 'network') return Promise.reject(lost());
  if (failure === 'timeout') {
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
  }
  if (failure !== 'invalid_response') return undefined;
  const headers = { 'content-type': 'text/html' };
  return Promise.resolve(new Response('<h1>Welcome</h1>', { headers }));
}

function lost(): TypeError {
  return new TypeError('fetch failed: the test requested this failure');
}

function itemsIn(route: Route | null, body: Uint8Array): { items?: number } {
  if (!route || !('item' in endpoints[route])) return {};
  try {
    const { items } = JSON.parse(new TextDecoder().decode(body)) as { items?: unknown };
    return Array.isArray(items) ? { items: items.length } : {};
  } catch {
    return {};
  }
}
