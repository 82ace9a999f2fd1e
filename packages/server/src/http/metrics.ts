// What /metrics shows: metrics of prom-client in one registry for each replica. Those of the service are read when the
// registry is. No label contains a tenant, so that metrics do not reveal the tenants.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Service } from '../app/service.ts';
import { durationBounds } from '../base/tracing.ts';
import type { Health } from './health.ts';

/** What the jobs of a replica know about its state. */
export interface ServerState {
  jobs: readonly { name: string; lastSuccess: number | undefined; failures: number }[];
  /** The last verification of all audit logs: when it ended, and how many chains were broken. */
  verified: { readonly finished_at: number; readonly broken: number } | undefined;
  /** The server still serves, but load balancers should send requests to others. */
  isStopping?: boolean;
  /** What differs in the schema of the database, and how much of that EAAS_SCHEMA_ALLOW admits; or nobody can tell. */
  schema?: { readonly faults: number; readonly allowed: number; readonly isUnknown: boolean };
  /** The size of the database, and the API keys that expire soon. */
  measured?: {
    readonly databaseBytes: number;
    readonly expiring: number;
    readonly nextExpiry: number | null;
  };
}

/** The metrics of requests. */
export class HttpMetrics {
  readonly #requests: Counter;
  readonly #durations: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'eaas_http_requests_total',
      help: 'Requests. The status is "aborted" if the connection ended before the whole response was sent.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'eaas_http_request_duration_seconds',
      help: 'Time from the arrival of the headers to the end of the response.',
      labelNames: ['method', 'route'],
      buckets: [...durationBounds],
      registers,
    });
  }

  record(method: string, path: string | undefined, status: number | 'aborted', seconds: number): void {
    const labels = path === undefined ? { method: '', route: '' } : { method, route: path };
    this.#requests.inc({ ...labels, status });
    this.#durations.observe(labels, seconds);
  }
}

type Values = number | Iterable<readonly [of: string, value: number]>;

/** Help, how it is read, and the label of several values. */
type Metric = readonly [help: string, read: () => Values | Promise<Values>, label?: string];

/** Adds metrics of one kind to a registry, each of which is read when the registry is. */
export function addMetrics(
  registry: Registry,
  Kind: typeof Counter | typeof Gauge,
  all: Readonly<Record<string, Metric>>,
): void {
  for (const [name, [help, read, label]] of Object.entries(all)) {
    const metric = new Kind({
      name,
      help,
      registers: [],
      labelNames: label === undefined ? [] : [label],
      async collect() {
        const values = await read();
        this.reset();
        if (typeof values === 'number') this.inc(values);
        else for (const [of, value] of values) this.inc({ [label ?? '']: of }, value);
      },
    });
    registry.registerMetric(metric);
  }
}

/** Adds the metrics of the service to a registry. */
export function serviceMetrics(
  service: Service,
  state: ServerState,
  health: () => Promise<Health>,
  registry: Registry,
): void {
  addMetrics(registry, Counter, countersOf(service, state));
  addMetrics(registry, Gauge, gaugesOf(service, state, health));
}

const countersOf = ({ counts, alarms, fair }: Service, state: ServerState): Record<string, Metric> => ({
  eaas_audit_entries_total: ['Audit entries appended by this replica.', () => counts.entries],
  eaas_audit_actions_total: ['Audit entries appended, by action.', () => counts.byAction, 'action'],
  eaas_audit_appends_total: ['Statements that appended entries.', () => counts.appends],
  eaas_audit_conflicts_total: ['Appends repeated: another replica came first.', () => counts.conflicts],
  eaas_audit_append_failures_total: [
    'Appends that were not confirmed, and calls whose time was over before.',
    () => counts.failures,
  ],
  eaas_audit_head_went_back_total: ['Chains that lost entries that were seen.', () => counts.wentBack],
  eaas_audit_incomplete_verifications_total: [
    'Nightly verifications of a log that says more than is kept to compare it with.',
    () => counts.incompleteVerifications,
  ],
  eaas_intake_opened_total: ['Unwrapped data keys of intake keys.', () => counts.intakeOpened],
  eaas_tampering_found_total: [
    'Rows, or the schema, changed by others than the service.',
    () => alarms.tamperingFound,
  ],
  eaas_rotations_skipped_total: [
    'Due rotations skipped, because the key has 10,000 versions.',
    () => alarms.rotationsSkipped,
  ],
  eaas_key_fetch_failures_total: ['Failed fetches of the keys of a sign-in.', () => alarms.keyFetchesFailed],
  eaas_admission_refused_total: [
    'Calls that waited too long for their share.',
    () => [['slots', fair.counts.refused]],
    'resource',
  ],
  eaas_job_failures_total: [
    'Runs of a job that failed.',
    () => state.jobs.map(({ name, failures }) => [name, failures]),
    'job',
  ],
});

function gaugesOf(
  service: Service,
  state: ServerState,
  health: () => Promise<Health>,
): Record<string, Metric> {
  const { ledger, counts, fair, database, reads, background } = service;
  const now = () => ledger.clock.now();
  const ofPools = (name: 'limit' | 'used' | 'waiting') => () =>
    Object.entries({ database, reads, background }).map(
      ([pool, { counts: of }]) => [pool, of[name]] as const,
    );
  return {
    eaas_busiest_tenant_unwraps: [
      'Unwraps and decryptions in the last full minute, of the tenant that had the most.',
      () => counts.busiest(now()),
    ],
    eaas_audit_moved_appends: [
      'Appends in the last full minute that were repeated: another replica came first.',
      () => counts.movedLately(now()),
    ],
    eaas_audit_waiting_entries: ['Calls that wait for their audit entries.', () => ledger.waiting],
    eaas_audit_oldest_wait_seconds: [
      'For how long the oldest of these calls waits, or the database has taken no entry of its tenant.',
      () => ledger.oldestWait / 1000,
    ],
    eaas_schema_faults: ['Changes to the schema that are not ours.', () => state.schema?.faults ?? 0],
    eaas_schema_allowed: [
      'Objects in the schema that EAAS_SCHEMA_ALLOW admits.',
      () => state.schema?.allowed ?? 0,
    ],
    eaas_schema_unknown: [
      'Whether a later version has migrated the database, of which no server has run yet.',
      () => (state.schema?.isUnknown ? 1 : 0),
    ],
    eaas_audit_broken_chains: ['Chains found broken in the last night.', () => state.verified?.broken ?? 0],
    eaas_audit_verified_timestamp_seconds: [
      'Time when the last nightly verification ended.',
      () => (state.verified?.finished_at ?? 0) / 1000,
    ],
    eaas_admission_held: ['Slots in use, of 128.', () => [['slots', fair.counts.held]], 'resource'],
    eaas_admission_waiting: [
      'Calls that wait for `slots`, or for the `cpu` to go on.',
      () => Object.entries({ slots: fair.counts.waiting, cpu: fair.counts.paused }),
      'resource',
    ],
    eaas_database_connections_limit: ['Connections that a pool can use.', ofPools('limit'), 'pool'],
    eaas_database_connections_used: ['Connections that a pool uses.', ofPools('used'), 'pool'],
    eaas_database_connections_waiting: ['Calls that wait for a connection.', ofPools('waiting'), 'pool'],
    eaas_database_size_bytes: ['Size of the database on disk.', () => state.measured?.databaseBytes ?? 0],
    eaas_api_keys_expiring: [
      'API keys that expire within 7 days and were used in the last 7 days.',
      () => state.measured?.expiring ?? 0,
    ],
    eaas_api_key_next_expiry_timestamp_seconds: [
      'Time when the first of the expiring API keys expires, or 0.',
      () => (state.measured?.nextExpiry ?? 0) / 1000,
    ],
    eaas_clock_difference_seconds: [
      "How far this machine's clock is ahead of the database's. Beyond ±60, nothing is erased.",
      () => (Date.now() - now()) / 1000,
    ],
    eaas_job_last_success_timestamp_seconds: [
      'Time when a job last succeeded.',
      () => state.jobs.map(({ name, lastSuccess }) => [name, lastSuccess ?? 0]),
      'job',
    ],
    eaas_ready: ['Whether GET /readyz succeeds.', async () => Number((await health()).ready)],
  };
}
