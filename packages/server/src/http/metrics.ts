import { durationBounds as bounds } from '../base/tracing.ts';

/** No label contains a tenant, so that metrics do not reveal the tenants. */
export class HttpMetrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, { buckets: number[]; sum: number; count: number }>();

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

  text(): string {
    const counts = Array.from(this.#requests, ([labels, count]): Sample => [`{${labels}}`, count]);
    const durations: Sample[] = [];
    for (const [labels, { buckets, sum, count }] of this.#durations) {
      bounds.forEach((bound, i) => durations.push([`_bucket{${labels},le="${bound}"}`, buckets[i] ?? 0]));
      durations.push([`_bucket{${labels},le="+Inf"}`, count]);
      durations.push([`_sum{${labels}}`, sum], [`_count{${labels}}`, count]);
    }
    const [requests, duration] = ['eaas_http_requests_total', 'eaas_http_request_duration_seconds'];
    return (
      metric(
        'counter',
        requests,
        'Requests. The status is "aborted" if the connection ended before the whole response was sent.',
        counts,
      ) +
      metric(
        'histogram',
        duration,
        'Time from the arrival of the headers to the end of the response.',
        durations,
      )
    );
  }
}

type Sample = readonly [suffix: string, value: number];

export function metric(type: string, name: string, help: string, values: number | readonly Sample[]): string {
  const samples = typeof values === 'number' ? [['', values] as const] : values;
  const lines = samples.map(([suffix, value]) => `${name}${suffix} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
