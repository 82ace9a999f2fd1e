import type { FastifyReply, FastifyRequest } from 'fastify';
import { telemetry } from '../base/tracing.ts';

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
