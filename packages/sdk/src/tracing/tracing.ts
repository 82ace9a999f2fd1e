// Spans of OpenTelemetry for what a client asks of the service. The app passes its tracer, so nothing is imported.
import type { SdkError } from '../errors.ts';
import type { Tracing } from '../events.ts';

type Attributes = Readonly<Record<string, string | number>>;

/** The part of OpenTelemetry's `Span` that the client uses. */
interface TracingSpan {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number }): unknown;
  end(): void;
}

/** The part of OpenTelemetry's `Tracer` that the client uses. */
interface TracingTracer {
  startActiveSpan<T>(name: string, options: object, work: (span: TracingSpan) => T): T;
}

// Of OpenTelemetry: SpanKind.INTERNAL and CLIENT, and SpanStatusCode.ERROR.
const internal = 0;
const client = 2;
const failed = 2;

/**
 * Makes spans of a tracer, for the option `tracing` of a client. A call of the service, each of its attempts, and each data key
 * that is not in memory have a span, under the span that is active in the app. Calls that are sent as one batch have theirs
 * under the first of them. What needs no request has none. No span says a value, a context, a person or a credential.
 *
 * @example
 * ```ts
 * import { trace } from '@opentelemetry/api';
 * import { EaasClient } from '@eaas/sdk';
 * import { tracingWith } from '@eaas/sdk/tracing';
 *
 * const eaas = new EaasClient({ tracing: tracingWith(trace.getTracer('my-app')) });
 * ```
 */
export function tracingWith(tracer: TracingTracer): Tracing {
  return ({ name, keyId, request, work }) => {
    const attributes = request ? attributesOf(name, request) : keyId ? { 'eaas.key_id': keyId } : {};
    return tracer.startActiveSpan(name, { kind: request ? client : internal, attributes }, async (span) => {
      const fail = (type: string): void => {
        span.setAttributes({ 'error.type': type });
        span.setStatus({ code: failed });
      };
      try {
        return await work((status) => {
          span.setAttributes({ 'http.response.status_code': status });
          if (status >= 400) fail(`${status}`);
        });
      } catch (error) {
        // Only the code: a message can quote what the app passed.
        fail((error as Partial<SdkError>).code ?? 'error');
        throw error;
      } finally {
        span.end();
      }
    });
  };
}

/** By OpenTelemetry's conventions for HTTP, but without the whole URL, which has the ids of keys and people. */
function attributesOf(route: string, { url, retries }: { url: string; retries: number }): Attributes {
  const [method = '', template = ''] = route.split(' ');
  const { hostname, port, protocol } = new URL(url);
  return {
    'http.request.method': method,
    'url.template': template,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    ...(retries > 0 && { 'http.request.resend_count': retries }),
  };
}
