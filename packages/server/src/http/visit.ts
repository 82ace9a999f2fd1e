// What the server knows about a request while it handles it: who asks, from where, and how it ends. Each request has one
// line in the log, and a span if the operator records traces.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { telemetry } from '../base/tracing.ts';
import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import type { ProblemCode } from '@eaas/protocol/wire';
import type { Caller, EndSignal } from '@eaas/service';
import type { Fair } from '../fair.ts';
import { type Announced, takeAnnounced } from './body.ts';
import type { HttpMetrics } from './metrics.ts';
import { timeLimit } from '../base/time-limit.ts';

interface Visit {
  readonly arrivedAt: number;
  /** The pattern of the matched route, as in `/v1/keys/:key_id`. The path that the client sent must never be logged. */
  readonly path: string | undefined;
  /** Tells when the response has ended or the client has gone. */
  readonly end: CallEnd;
  caller?: Caller;
  /** Whether the request has its share of this replica, or was refused it. */
  hasEntered?: boolean;
  code?: ProblemCode;
  /** What the headers said about the body. */
  body: Announced;
  isSameOrigin?: boolean;
  traceId?: string;
  /** Whether the operating system has accepted the whole response. */
  isSent?: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    visit: Visit;
  }
}

/**
 * Tells its listeners when a call of the API has ended. An AbortController could do the same, but would take 5 % of the
 * CPU time of a wrap.
 */
class CallEnd implements EndSignal {
  readonly #listeners = new Set<() => void>();
  aborted = false;

  /** Whoever comes too late is told at once. */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (this.aborted) listener();
    else this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  end(): void {
    this.aborted = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
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

/**
 * The name under which the request shares the server with other requests: its tenant, if it has one. Load balancers stop
 * sending requests to a server whose probes are late, so the probes do not wait for the pages of strangers.
 */
function sharesAs({ caller, path }: Visit): string {
  return caller?.tenantId ?? (path === '/healthz' || path === '/readyz' ? 'probes' : 'no tenant');
}

/** Waits for the request's share of this replica, which it keeps until its response has closed. Throws Refusal 503. */
export function enter(fair: Fair, { visit }: FastifyRequest, cost = 1): Promise<void> {
  visit.hasEntered = true;
  return fair
    .enter(sharesAs(visit), cost, visit.end)
    .then((leave) => visit.end.addEventListener('abort', leave));
}

/** Begins to record a request, and gives its response the headers of every response. */
export function beginVisit(request: FastifyRequest, reply: FastifyReply, metrics: HttpMetrics): void {
  const path = request.is404 ? undefined : request.routeOptions.url;
  const end = new CallEnd();
  request.visit = { arrivedAt: performance.now(), path, end, body: takeAnnounced(request.raw) };
  void reply.headers({ ...commonHeaders, vary: 'Origin', 'x-request-id': request.id });
  if (request.protocol === 'https') void reply.header('strict-transport-security', 'max-age=31536000');
  const { socket } = request.raw;
  reply.raw.prependOnceListener('finish', () => {
    // Node also emits `finish` for a response that it gives up because the connection ended. Node's own listener of
    // `finish` can destroy the socket, so this listener runs first.
    request.visit.isSent = !socket.destroyed && !socket.errored;
  });
  reply.raw.once('close', () => {
    end.end();
    record(request, reply, metrics);
    const cutUnread = (): void => {
      if (!request.raw.complete) request.raw.socket.destroy();
    };
    if (!request.raw.complete) setTimeout(cutUnread, timeLimit(linger)).unref();
  });
}

function record(request: FastifyRequest, reply: FastifyReply, metrics: HttpMetrics): void {
  const { arrivedAt, path, caller, code, traceId, isSent } = request.visit;
  const duration = performance.now() - arrivedAt;
  const status = isSent ? reply.statusCode : 'aborted';
  const route = code === 'method_not_allowed' ? undefined : path;
  metrics.record(request.method, route, status, duration / 1_000);
  request.log.info(
    {
      method: request.method,
      route: path ?? null,
      status,
      ...(code !== undefined && { code }),
      duration_ms: Math.round(duration * 1_000) / 1_000,
      actor: caller?.actor ?? null,
      tenant_id: caller?.tenantId ?? null,
      ...(traceId !== undefined && { trace_id: traceId }),
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
  const connected = telemetry();
  if (!connected) {
    handle();
    return;
  }
  const { api, tracer, requestDuration } = connected;
  const { method, headers, visit } = request;
  const route = visit.path ?? '';
  const labels = { 'http.request.method': method, 'http.route': route };
  const parent = api.propagation.extract(api.ROOT_CONTEXT, headers);
  const span = tracer.startSpan(
    `${method} ${route}`,
    { kind: api.SpanKind.SERVER, startTime: visit.arrivedAt, attributes: labels },
    parent,
  );
  visit.traceId = span.spanContext().traceId;
  reply.raw.once('close', () => {
    const { caller, code, isSent } = visit;
    const status = isSent ? { 'http.response.status_code': reply.statusCode } : {};
    const error = code ?? (isSent ? undefined : 'aborted');
    const outcome = { ...status, ...(error !== undefined && { 'error.type': error }) };
    span.setAttributes(outcome);
    if (caller) span.setAttributes({ 'eaas.tenant_id': caller.tenantId, 'eaas.actor': caller.actor });
    if (reply.statusCode >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
    span.end();
    requestDuration.record((performance.now() - visit.arrivedAt) / 1_000, { ...labels, ...outcome });
  });
  api.context.with(api.trace.setSpan(parent, span), handle);
}
