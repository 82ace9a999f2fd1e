// What the server knows about a request while it handles it: who asks, from where, and how it ends. Each request has one
// line in the log, and a span if the operator records traces.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { beginSpans, type RequestSpans } from '../base/tracing.ts';
import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import type { ProblemCode } from '@eaas/protocol/wire';
import { type Caller, type EndSignal, type Refusal, strangers } from '@eaas/service';
import type { Fair } from '../fair.ts';
import { type Announced, takeAnnounced } from './body.ts';
import type { HttpMetrics } from './metrics.ts';
import { timeLimit } from '../base/time-limit.ts';

/**
 * A request on its way. It tells its listeners when the response has ended or the client has gone, as an AbortSignal would, which
 * would take 5 % of the CPU time of a wrap.
 */
class Visit implements EndSignal {
  readonly arrivedAt = performance.now();
  /** The pattern of the matched route, as in `/v1/keys/:key_id`. The path that the client sent must never be logged. */
  readonly path: string | undefined;
  /** What the headers said about the body. */
  readonly body: Announced;
  caller: Caller | undefined;
  /** Whether the request has its share of this replica, or was refused it. */
  hasEntered = false;
  code: ProblemCode | undefined;
  isSameOrigin = false;
  /** Whether the operating system has accepted the whole response. */
  isSent = false;
  spans: RequestSpans | undefined;
  aborted = false;
  #listeners: (() => void)[] = [];

  constructor(path: string | undefined, body: Announced) {
    this.path = path;
    this.body = body;
  }

  /** Waits for the request's share of this replica, which it keeps until its response has closed. */
  enter(fair: Fair, name: string, cost: number, then: (refusal?: Refusal) => void): void {
    this.hasEntered = true;
    fair.enter(name, cost, this, then);
  }

  /** Runs a step, which is over when the next begins. If the operator records traces, it has a span. */
  step(name: string, work: () => void): void {
    if (this.spans) this.spans.step(name, work);
    else work();
  }

  /** Whoever comes too late is told at once. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.aborted) listener();
    else this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((one) => one !== listener);
  }

  end(): void {
    this.aborted = true;
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit;
  }
}

/** The headers of every response. */
export const commonHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

const linger = 4_000;

/** Load balancers stop sending requests to a server whose probes are late, so the probes do not wait for the pages of strangers. */
const sharesAs = ({ visit, routeOptions }: FastifyRequest): string =>
  visit.caller?.tenantId ?? (routeOptions.config.isProbe ? 'probes' : strangers);

/** Waits for the share of a request that found none on its way, or is no call. Throws Refusal 503. */
export const enter = (fair: Fair, request: FastifyRequest): Promise<void> =>
  new Promise((resolve, reject) =>
    request.visit.enter(fair, sharesAs(request), 1, (refusal) => (refusal ? reject(refusal) : resolve())),
  );

/** Begins to record a request, and gives its response the headers of every response. */
export function beginVisit(request: FastifyRequest, reply: FastifyReply, metrics: HttpMetrics): void {
  const path = request.is404 ? undefined : request.routeOptions.url;
  const visit = new Visit(path, takeAnnounced(request.raw));
  request.visit = visit;
  void reply.headers(commonHeaders).header('vary', 'Origin').header('x-request-id', request.id);
  if (request.protocol === 'https') void reply.header('strict-transport-security', 'max-age=31536000');
  const { socket } = request.raw;
  reply.raw.prependOnceListener('finish', () => {
    // Node also emits `finish` for a response that it gives up because the connection ended. Node's own listener of
    // `finish` can destroy the socket, so this listener runs first.
    visit.isSent = !socket.destroyed && !socket.errored;
  });
  reply.raw.once('close', () => {
    visit.end();
    record(request, reply, metrics);
    const cutUnread = (): void => {
      if (!request.raw.complete) request.raw.socket.destroy();
    };
    if (!request.raw.complete) setTimeout(cutUnread, timeLimit(linger)).unref();
  });
}

function record(request: FastifyRequest, reply: FastifyReply, metrics: HttpMetrics): void {
  const { arrivedAt, path, caller, code, spans, isSent } = request.visit;
  const duration = performance.now() - arrivedAt;
  const status = isSent ? reply.statusCode : 'aborted';
  const route = code === 'method_not_allowed' ? undefined : path;
  metrics.record(request.method, route, status, duration / 1_000);
  request.log.info(
    {
      request_id: request.id,
      method: request.method,
      route: path ?? null,
      status,
      ...(code !== undefined && { code }),
      duration_ms: Math.round(duration * 1_000) / 1_000,
      actor: caller?.actor ?? null,
      tenant_id: caller?.tenantId ?? null,
      ...(spans && { trace_id: spans.traceId }),
    },
    'request',
  );
}

/** Writes an address as RFC 5952 says, or returns null if the text is no address. */
export function canonicalIp(text: string | undefined): string | null {
  const address = withoutPort((text ?? '').trim()).replace(/%.*$/, '');
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return null;
  return new SocketAddress({ address, family: 'ipv6' }).address.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Removes the port that some proxies add, as in `192.0.2.1:4711` or `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

/** Handles the request in a span. The request header `traceparent` names its parent. */
export function traceRequest(request: FastifyRequest, reply: FastifyReply, handle: () => void): void {
  const { method, headers, visit } = request;
  const spans = beginSpans(method, visit.path ?? '', headers, visit.arrivedAt);
  if (!spans) return handle();
  visit.spans = spans;
  reply.raw.once('close', () => {
    const { caller, code, isSent } = visit;
    const error = code ?? (isSent ? undefined : 'aborted');
    spans.end(isSent ? reply.statusCode : undefined, error, caller);
  });
  return spans.within(handle);
}
