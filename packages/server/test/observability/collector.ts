import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { listening } from '@eaas/test-kit/listening';
import type { Environment } from '@eaas/test-kit/program';

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
}

interface Attributes {
  readonly attributes?: readonly { readonly key: string; readonly value: Value }[];
}

export interface Span extends Attributes {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number };
}

interface Point extends Attributes {
  readonly asInt?: number | string;
  readonly asDouble?: number;
}

interface Metric {
  readonly name: string;
  readonly gauge?: { readonly dataPoints: readonly Point[] };
  readonly sum?: { readonly dataPoints: readonly Point[]; readonly isMonotonic: boolean };
  readonly histogram?: { readonly dataPoints: readonly Point[] };
}

interface Export {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[];
  }[];
}

export async function startCollector() {
  const spans: Span[] = [];
  const metrics = new Map<string, Metric>();
  const texts: string[] = [];
  const receive = async (request: IncomingMessage): Promise<void> => {
    const body = await json(request);
    texts.push(JSON.stringify(body));
    const { resourceSpans = [], resourceMetrics = [] } = body as Export;
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    for (const { scopeMetrics } of resourceMetrics) {
      for (const scope of scopeMetrics) for (const one of scope.metrics) metrics.set(one.name, one);
    }
  };
  const server = createServer((request, response) => {
    const respond = () => response.setHeader('content-type', 'application/json').end('{}');
    receive(request).then(respond, () => response.destroy());
  });
  const port = await listening(server);
  const env: Environment = {
    OTEL_SERVICE_NAME: 'eaas',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_METRIC_EXPORT_INTERVAL: '500',
    OTEL_METRIC_EXPORT_TIMEOUT: '400',
  };
  return {
    spans,
    metrics,
    env,
    port,
    text: () => texts.join('\n'),
  };
}

export function attributesOf({ attributes = [] }: Attributes): Record<string, string | number | undefined> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
