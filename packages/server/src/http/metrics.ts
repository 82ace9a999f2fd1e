import type { FastifyInstance } from 'fastify';
import type { Doors } from './doors.ts';
import { send } from './problems.ts';

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Durations {
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** Counts requests and how long they took, by route and status. No label names a tenant. */
export class HttpMetrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, Durations>();

  record(method: string, path: string | undefined, status: number | 'aborted', seconds: number): void {
    const labels = path === undefined ? 'method="",route=""' : `method="${method}",route="${path}"`;
    const request = `${labels},status="${status}"`;
    this.#requests.set(request, (this.#requests.get(request) ?? 0) + 1);
    const durations = this.#durations.get(labels) ?? { buckets: bounds.map(() => 0), sum: 0, count: 0 };
    bounds.forEach((bound, i) => {
      if (seconds <= bound) durations.buckets[i] = (durations.buckets[i] ?? 0) + 1;
    });
    durations.sum += seconds;
    durations.count += 1;
    this.#durations.set(labels, durations);
  }

  /** In the Prometheus text format, version 0.0.4. */
  text(): string {
    return [
      '# HELP eaas_http_requests_total Requests answered; status "aborted" where the client left first.',
      '# TYPE eaas_http_requests_total counter',
      ...Array.from(this.#requests, ([labels, count]) => `eaas_http_requests_total{${labels}} ${count}`),
      '# HELP eaas_http_request_duration_seconds From the arrival of the headers to the end of the answer.',
      '# TYPE eaas_http_request_duration_seconds histogram',
      ...Array.from(this.#durations).flatMap(([labels, durations]) => histogram(labels, durations)),
      '',
    ].join('\n');
  }
}

function histogram(labels: string, { buckets, sum, count }: Durations): string[] {
  const name = 'eaas_http_request_duration_seconds';
  return [
    ...bounds.map((bound, i) => `${name}_bucket{${labels},le="${bound}"} ${buckets[i]}`),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${count}`,
  ];
}

/** /metrics: what the http door counts, and the service. */
export function serveMetrics(
  app: FastifyInstance,
  doors: Pick<Doors, 'metrics'>,
  metrics: HttpMetrics,
): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/metrics',
    handler: async (_, reply) =>
      send(reply, 'text/plain; version=0.0.4; charset=utf-8', metrics.text() + (await doors.metrics())),
  });
}
