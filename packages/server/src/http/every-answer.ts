import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpMetrics } from './metrics.ts';

/** What every answer says, besides its request id. */
export const everyAnswer = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

/** An unread body is taken and thrown away for so long, so that the client gets to read its refusal. */
const linger = 4_000;

/** Begins an answer: gives it its headers, and sees to it that it ends up in the log and the metrics, once. */
export function beginAnswer(request: FastifyRequest, reply: FastifyReply, metrics: HttpMetrics): void {
  const path = request.is404 ? undefined : request.routeOptions.url;
  request.visit = { arrivedAt: performance.now(), path };
  void reply.headers({ ...everyAnswer, vary: 'Origin', 'x-request-id': request.id });
  if (request.protocol === 'https') {
    void reply.header('strict-transport-security', 'max-age=31536000');
  }
  reply.raw.once('close', () => {
    record(request, reply, metrics);
    if (!request.raw.complete) setTimeout(() => cutUnread(request), linger).unref();
  });
}

function record(request: FastifyRequest, reply: FastifyReply, metrics: HttpMetrics): void {
  const { arrivedAt, path, caller, code } = request.visit;
  const duration = performance.now() - arrivedAt;
  const status = reply.raw.writableFinished ? reply.statusCode : 'aborted';
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
    },
    'request',
  );
}

function cutUnread(request: FastifyRequest): void {
  if (!request.raw.complete) request.raw.socket.destroy();
}
