// Spans and metrics of OpenTelemetry, if the operator has registered an SDK before the server starts.
import type { ObservableCounter, ObservableGauge, Span, SpanContext } from '@opentelemetry/api';
import type { Registry } from 'prom-client';
import manifest from '../../package.json' with { type: 'json' };
import { type Caller, Refusal } from '@eaas/service';

/** The upper bounds, in seconds, of the histogram buckets for the durations of requests. */
export const durationBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const;

type Telemetry = Awaited<ReturnType<typeof loadTelemetry>>;

let connected: Telemetry | undefined;

/** All 1.x versions of `@opentelemetry/api` find a registered SDK in this property of the global object. */
const registry = Symbol.for('opentelemetry.js.api.1');

/** Without a registered SDK, the server does not load `@opentelemetry/api`. */
export async function connectTelemetry(): Promise<void> {
  if (registry in globalThis) connected = await loadTelemetry();
}

async function loadTelemetry() {
  const api = await import('@opentelemetry/api');
  const { name, version } = manifest;
  const meter = api.metrics.getMeter(name, version);
  const requestDuration = meter.createHistogram('http.server.request.duration', {
    description: 'Time from the arrival of the headers to the end of the response.',
    unit: 's',
    advice: { explicitBucketBoundaries: [...durationBounds] },
  });
  return { api, tracer: api.trace.getTracer(name, version), meter, requestDuration };
}

/** The span of a request, and those of its steps, of which each ends when the next begins. */
export type RequestSpans = NonNullable<ReturnType<typeof beginSpans>>;

/** Begins the span of a request, if the operator records traces. */
export function beginSpans(method: string, route: string, headers: object, startTime: number) {
  if (!connected) return undefined;
  const { api, tracer, requestDuration } = connected;
  const labels = { 'http.request.method': method, 'http.route': route };
  const parent = api.propagation.extract(api.ROOT_CONTEXT, headers);
  const kind = api.SpanKind.SERVER;
  const span = tracer.startSpan(`${method} ${route}`, { kind, startTime, attributes: labels }, parent);
  const own = api.trace.setSpan(parent, span);
  let current: Span | undefined;
  return {
    traceId: span.spanContext().traceId,
    /** Runs the handling of the request in its span. */
    within: (work: () => void): void => api.context.with(own, work),
    /** Runs a step in a span of its own. */
    step(name: string, work: () => void): void {
      current?.end();
      current = tracer.startSpan(name, {}, own);
      api.context.with(api.trace.setSpan(own, current), work);
    },
    /** Notes why the step has failed. */
    fail: (error: unknown): void => current && noteError(current, error),
    /** `status`: absent if the response was not sent. */
    end(status: number | undefined, error: string | undefined, caller: Caller | undefined): void {
      current?.end();
      const outcome = {
        ...(status !== undefined && { 'http.response.status_code': status }),
        ...(error !== undefined && { 'error.type': error }),
      };
      span.setAttributes(outcome);
      if (caller) span.setAttributes({ 'eaas.tenant_id': caller.tenantId, 'eaas.actor': caller.actor });
      if ((status ?? 0) >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
      requestDuration.record((performance.now() - startTime) / 1_000, { ...labels, ...outcome });
    },
  };
}

/** Work outside a traced request or job, such as a readiness probe, gets no span. */
export function traced<T>(name: string, work: (span?: Span) => Promise<T>): Promise<T> {
  return connected?.api.trace.getActiveSpan()
    ? within(connected, connected.tracer.startSpan(name), work)
    : work();
}

/** The span in which a request waits for what is done for several. */
export const activeSpan = (): SpanContext | undefined => connected?.api.trace.getActiveSpan()?.spanContext();

/** Work for several requests has a trace of its own, with links to theirs. */
export function tracedTogether<T>(
  name: string,
  spans: readonly (SpanContext | undefined)[],
  work: () => Promise<T>,
): Promise<T> {
  const links = spans.flatMap((context) => (context ? [{ context }] : []));
  if (!connected || links.length === 0) return work();
  return within(connected, connected.tracer.startSpan(name, { root: true, links }), work);
}

export function tracedJob<T>(name: string, work: () => Promise<T>): Promise<T> {
  return connected ? within(connected, connected.tracer.startSpan(`job ${name}`), work) : work();
}

async function within<T>({ api }: Telemetry, span: Span, work: (span?: Span) => Promise<T>): Promise<T> {
  try {
    return await api.context.with(api.trace.setSpan(api.context.active(), span), work, undefined, span);
  } catch (error) {
    noteError(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** The message of the error is omitted, because it can contain secrets. */
function noteError(span: Span, error: unknown): void {
  const isRefusal = error instanceof Refusal;
  span.setAttribute(
    'error.type',
    isRefusal ? error.code : error instanceof Error ? error.name : typeof error,
  );
  const isOurs = !isRefusal || error.problem.status >= 500;
  if (isOurs && connected) span.setStatus({ code: connected.api.SpanStatusCode.ERROR });
}

/**
 * Exports the counters and gauges of a registry. OpenTelemetry cannot observe histograms; it has `requestDuration`
 * instead.
 */
export async function bridgeMetrics(registry: Registry): Promise<void> {
  if (!connected) return;
  const { meter } = connected;
  const instruments = new Map<string, ObservableCounter | ObservableGauge>();
  for (const { name, help: description, type } of registry.getMetricsAsArray()) {
    if (`${type}` === 'counter') instruments.set(name, meter.createObservableCounter(name, { description }));
    if (`${type}` === 'gauge') instruments.set(name, meter.createObservableGauge(name, { description }));
  }
  meter.addBatchObservableCallback(async (result) => {
    for (const { name, values } of await registry.getMetricsAsJSON()) {
      const instrument = instruments.get(name);
      if (instrument) for (const { value, labels } of values) result.observe(instrument, value, labels);
    }
  }, Array.from(instruments.values()));
}
