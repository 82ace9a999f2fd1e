import type { Route } from '@eaas/protocol/wire';
import { answer } from './door.ts';
import { type Failure, type Failures, problemOf } from './failures.ts';
import { Refusal } from './refusal.ts';
import { findRoute } from './routes.ts';
import type { Tenant } from './tenant.ts';

/** A call that was made: which, and how it ended. Nothing that was in it. */
export interface SeenRequest {
  /** Null where there is no such route. */
  readonly route: Route | null;
  /** Null where no answer arrived. */
  readonly status: number | null;
  /** How many items a batch had. */
  readonly items?: number;
}

type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

/** Answers what is sent to one address out of memory. What is sent elsewhere fails as if there was no network. */
export function createFetch(
  baseUrl: string,
  tenant: Tenant,
  failures: Failures,
  requests: SeenRequest[],
): Fetch {
  // One call at a time, so that each sees what all before it left.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work);
    turn = next.catch(() => {});
    return next;
  };
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal, url, method } = request;
    signal.throwIfAborted();
    const { origin, pathname } = new URL(url);
    if (origin !== baseUrl) throw new TypeError(`fetch failed: this test service is at ${baseUrl} alone`);
    const body = new Uint8Array(await request.arrayBuffer());
    await nextTask();
    const route = routeOf(method, pathname);
    const failure = route === null ? undefined : failures.take(route);
    const seen = { route, ...itemsIn(route, body) };
    const see = (status: number | null) => void requests.push({ ...seen, status });
    const before = failsBefore(failure, signal);
    if (before) return before.finally(() => see(failure === 'invalid_response' ? 502 : null));
    const response = await inTurn(() => answer(tenant, request, body, problemOf(failure)));
    if (failure === 'answer_lost' || signal.aborted) see(null);
    if (failure === 'answer_lost') throw lost();
    signal.throwIfAborted();
    see(response.status);
    return response;
  };
}

/** What comes of a call that does not reach the service. */
function failsBefore(failure: Failure | undefined, signal: AbortSignal): Promise<Response> | undefined {
  if (failure === 'network') return Promise.reject(lost());
  if (failure === 'timeout') return aborted(signal);
  if (failure === 'invalid_response') {
    const headers = { 'content-type': 'text/html' };
    return Promise.resolve(new Response('<h1>502 Bad Gateway</h1>', { status: 502, headers }));
  }
  return undefined;
}

function lost(): TypeError {
  return new TypeError('fetch failed: the test asked for it');
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function routeOf(method: string, path: string): Route | null {
  try {
    return findRoute(method, path).route;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

function itemsIn(route: Route | null, body: Uint8Array): { items?: number } {
  if (!route?.startsWith('POST /v1/batch/')) return {};
  try {
    const { items } = JSON.parse(new TextDecoder().decode(body)) as { items?: unknown };
    return Array.isArray(items) ? { items: items.length } : {};
  } catch {
    return {};
  }
}

/**
 * Lets everything else have its turn, as a network does: a loop of calls would else keep timers and events waiting.
 * Not by a timer, because a test may have replaced those.
 */
function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.addEventListener('message', () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}
