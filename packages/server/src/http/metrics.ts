// What /metrics shows: metrics of prom-client in one registry for each replica. Those of the service are read when the
// registry is. No label contains a tenant, so that metrics do not reveal the tenants.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Service } from '../app/service.ts';
import { durationBounds } from '../base/tracing.ts';
import type { measure } from '../store/measurements.ts';

/** What the jobs of a replica know about its state. */
export interface ServerState {
  jobs: readonly { name: string; lastSuccess: number | undefined; failures: number }[];
  /** The last verification of all audit logs: when it ended, and how many chains were broken. */
  verified: { readonly finished_at: number; readonly broken: number } | undefined;
  measured?: Awaited<ReturnType<typeof measure>>;
}

interface Answered {
  readonly method: string;
  readonly path: string | undefined;
  readonly status: number | 'aborted';
  readonly seconds: number;
}

/** The most requests that wait to be counted. */
const mostUncounted = 100;

/** The metrics of requests. They are counted many at a time, because a request alone would pay for cold code. */
export class HttpMetrics {
  readonly #requests: Counter;
  readonly #durations: Histogram;
  #uncounted: Answered[] = [];

  constructor(registry: Registry) {
    const registers = [registry];
    const collect = (): void => this.#count();
    this.#requests = new Counter({
      name: 'eaas_http_requests_total',
      help: 'Requests. The status is "aborted" if the connection ended before the whole response was sent.',
      labelNames: ['method', 'route', 'status'],
      registers,
      collect,
    });
    this.#durations = new Histogram({
      name: 'eaas_http_request_duration_seconds',
      help: 'Time from the arrival of the headers to the end of the response.',
      labelNames: ['method', 'route'],
      buckets: [...durationBounds],
      registers,
      collect,
    });
  }

  record(method: string, path: string | undefined, status: number | 'aborted', seconds: number): void {
    if (this.#uncounted.push({ method, path, status, seconds }) >= mostUncounted) this.#count();
  }

  #count(): void {
    for (const { method, path, status, seconds } of this.#uncounted) {
      const labels = path === undefined ? { method: '', route: '' } : { method, route: path };
      this.#requests.inc({ ...labels, status });
      this.#durations.observe(labels, seconds);
    }
    this.#uncounted = [];
  }
}

type Values = number | Iterable<readonly [of: string, value: number]>;

/** Adds the metrics of the service to a registry. */
export function serviceMetrics(service: Service, state: ServerState, registry = new Registry()): Registry {
  type Kind = typeof Counter | typeof Gauge;
  const define = (Metric: Kind, name: string, help: string, read: () => Values, label = ''): void =>
    registry.registerMetric(
      new Metric({
        name,
        help,
        registers: [],
        labelNames: label ? [label] : [],
        collect() {
          const values = read();
          this.reset();
          if (typeof values === 'number') this.inc(values);
          else for (const [of, value] of values) this.inc({ [label]: of }, value);
        },
      }),
    );
  const counter = define.bind(undefined, Counter);
  const gauge = define.bind(undefined, Gauge);
  const { counts, alarms, admission, tenants, clock } = service;
  const verified = () => state.verified ?? { broken: 0, finished_at: 0 };
  const ofJobs = (read: (job: ServerState['jobs'][number]) => number) =>
    state.jobs.map((job) => [job.name, read(job)] as const);
  const shares = Object.entries({ ...admission.shares, unknown_tokens: tenants.tokens.unknown });
  const waits = [...shares, ['cpu', admission.turns] as const];
  const ofWaits = (name: 'waiting' | 'refused') =>
    waits.map(([resource, { counts }]) => [resource, counts[name]] as const);
  const ofPools = (name: 'limit' | 'used' | 'waiting') =>
    (['database', 'reads', 'background'] as const).map((pool) => [pool, service[pool].counts[name]] as const);

  counter('eaas_audit_entries_total', 'Audit entries appended by this replica.', () => counts.entries);
  counter(
    'eaas_audit_actions_total',
    'Audit entries appended by this replica, by action.',
    () => counts.tallies.byAction,
    'action',
  );
  gauge(
    'eaas_busiest_tenant_unwraps',
    'Unwraps and decryptions in the last full minute, of the tenant that had the most.',
    () => counts.tallies.busiest(clock.now()),
  );
  counter('eaas_audit_appends_total', 'Statements that appended entries.', () => counts.appends);
  counter(
    'eaas_audit_conflicts_total',
    'Appends repeated because another replica appended first.',
    () => counts.conflicts,
  );
  counter(
    'eaas_audit_append_failures_total',
    'Appends that the database did not confirm.',
    () => counts.failures,
  );
  counter(
    'eaas_intake_opened_total',
    'Unwrapped data keys that writers without credentials had wrapped with a public key.',
    () => counts.intakeOpened,
  );
  gauge(
    'eaas_audit_waiting_entries',
    'Audit entries that currently wait to be written.',
    () => counts.waiting,
  );
  gauge(
    'eaas_audit_broken_chains',
    'Chains that the last nightly verification found broken.',
    () => verified().broken,
  );
  gauge(
    'eaas_audit_verified_timestamp_seconds',
    'Time when the last nightly verification ended.',
    () => verified().finished_at / 1000,
  );
  counter(
    'eaas_audit_head_went_back_total',
    'Chains that lost entries, because the database was restored or failed over.',
    () => tenants.timelines.wentBack,
  );
  counter(
    'eaas_tampering_found_total',
    'Tampered rows: rows that something other than the service changed.',
    () => alarms.tamperingFound,
  );
  counter(
    'eaas_rotations_skipped_total',
    'Due rotations that were skipped because the key has 10,000 versions.',
    () => alarms.rotationsSkipped,
  );
  counter(
    'eaas_key_fetch_failures_total',
    'Fetches of the public keys of a sign-in that failed, and requests whose key host is not allowed.',
    () => alarms.keyFetchesFailed,
  );
  gauge(
    'eaas_admission_held',
    'Bytes or calls that currently use a resource.',
    () => shares.map(([resource, { counts }]) => [resource, counts.held] as const),
    'resource',
  );
  gauge(
    'eaas_admission_waiting',
    'Calls that wait for their share of a resource.',
    () => ofWaits('waiting'),
    'resource',
  );
  counter(
    'eaas_admission_refused_total',
    'Calls that waited too long for their share of a resource, and unread responses that were cut.',
    () => ofWaits('refused'),
    'resource',
  );
  gauge(
    'eaas_database_connections_limit',
    'Connections to the database that a pool of this replica can use.',
    () => ofPools('limit'),
    'pool',
  );
  gauge(
    'eaas_database_connections_used',
    'Connections to the database that a pool currently uses.',
    () => ofPools('used'),
    'pool',
  );
  gauge(
    'eaas_database_connections_waiting',
    'Calls that wait for a connection of a pool.',
    () => ofPools('waiting'),
    'pool',
  );
  gauge(
    'eaas_database_size_bytes',
    'Size of the database on disk.',
    () => state.measured?.databaseBytes ?? 0,
  );
  gauge(
    'eaas_api_keys_expiring',
    'API keys that expire within 7 days and were used in the last 7 days.',
    () => state.measured?.expiring ?? 0,
  );
  gauge(
    'eaas_api_key_next_expiry_timestamp_seconds',
    'Time when the first of the expiring API keys expires, or 0.',
    () => (state.measured?.nextExpiry ?? 0) / 1000,
  );
  gauge(
    'eaas_clock_difference_seconds',
    "How far this machine's clock is ahead of the database's.",
    () => clock.wallClockError() / 1000,
  );
  counter(
    'eaas_job_failures_total',
    'Runs of a job that failed.',
    () => ofJobs(({ failures }) => failures),
    'job',
  );
  gauge(
    'eaas_job_last_success_timestamp_seconds',
    'Time when a job last succeeded.',
    () => ofJobs(({ lastSuccess }) => lastSuccess ?? 0),
    'job',
  );
  return registry;
}
