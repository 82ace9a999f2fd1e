import type { Service } from '../app/service.ts';
import type { measure } from '../store/measurements.ts';
import { metric } from './metrics.ts';

export interface ServerState {
  jobs: readonly { name: string; lastSuccess: number | undefined; failures: number }[];
  /** The last verification of all audit logs: when it ended, and how many chains were broken. */
  verified: { readonly finished_at: number; readonly broken: number } | undefined;
  measured?: Awaited<ReturnType<typeof measure>>;
}

export function serviceMetrics(service: Service, { jobs, verified, measured }: ServerState): string {
  const { counts } = service;
  const { tamperingFound, rotationsSkipped } = service.alarms;
  const { broken, finished_at: finished } = verified ?? { broken: 0, finished_at: 0 };
  const { turns, shares } = service.admission;
  const resources = { ...shares, unknown_tokens: service.tenants.tokens.unknown };
  const ofShares = Object.entries(resources).map(([name, share]) => [name, share.counts] as const);
  const ofAll = [...ofShares, ['cpu', turns.counts] as const];
  const pools = ['database', 'reads', 'background'] as const;
  const ofPools = pools.map((name) => [`{pool="${name}"}`, service[name].counts] as const);
  const resource = (name: string): string => `{resource="${name}"}`;
  const job = (name: string): string => `{job="${name}"}`;
  const counter = metric.bind(undefined, 'counter');
  const gauge = metric.bind(undefined, 'gauge');
  return [
    counter('eaas_audit_entries_total', 'Audit entries appended by this replica.', counts.entries),
    counter(
      'eaas_audit_actions_total',
      'Audit entries appended by this replica, by action.',
      Array.from(counts.tallies.byAction, ([action, count]) => [`{action="${action}"}`, count]),
    ),
    gauge(
      'eaas_busiest_tenant_unwraps',
      'Unwraps and decryptions in the last full minute, of the tenant that had the most.',
      counts.tallies.busiest(service.clock.now()),
    ),
    counter('eaas_audit_appends_total', 'Statements that appended entries.', counts.appends),
    counter(
      'eaas_audit_conflicts_total',
      'Appends repeated because another replica appended first.',
      counts.conflicts,
    ),
    counter(
      'eaas_audit_append_failures_total',
      'Appends that the database did not confirm.',
      counts.failures,
    ),
    counter(
      'eaas_intake_opened_total',
      'Unwrapped data keys that writers without credentials had wrapped with a public key.',
      counts.intakeOpened,
    ),
    counter(
      'eaas_blind_hash_elements_total',
      'Elements of blind hashes that this replica evaluated.',
      counts.blindHashElements,
    ),
    gauge('eaas_audit_waiting_entries', 'Audit entries that currently wait to be written.', counts.waiting),
    gauge('eaas_audit_broken_chains', 'Chains that the last nightly verification found broken.', broken),
    gauge(
      'eaas_audit_verified_timestamp_seconds',
      'Time when the last nightly verification ended.',
      finished / 1000,
    ),
    counter(
      'eaas_audit_head_went_back_total',
      'Chains that lost entries, because the database was restored or failed over.',
      service.tenants.timelines.wentBack,
    ),
    counter(
      'eaas_tampering_found_total',
      'Tampered rows: rows that something other than the service changed.',
      tamperingFound,
    ),
    counter(
      'eaas_rotations_skipped_total',
      'Due rotations that were skipped because the key has 10,000 versions.',
      rotationsSkipped,
    ),
    gauge(
      'eaas_admission_held',
      'Bytes or calls that currently use a resource.',
      ofShares.map(([name, { held }]) => [resource(name), held]),
    ),
    gauge(
      'eaas_admission_waiting',
      'Calls that wait for their share of a resource.',
      ofAll.map(([name, { waiting }]) => [resource(name), waiting]),
    ),
    counter(
      'eaas_admission_refused_total',
      'Calls that waited too long for their share of a resource, and unread responses that were cut.',
      ofAll.map(([name, { refused }]) => [resource(name), refused]),
    ),
    gauge(
      'eaas_database_connections_limit',
      'Connections to the database that a pool of this replica can use.',
      ofPools.map(([pool, { limit }]) => [pool, limit]),
    ),
    gauge(
      'eaas_database_connections_used',
      'Connections to the database that a pool currently uses.',
      ofPools.map(([pool, { used }]) => [pool, used]),
    ),
    gauge(
      'eaas_database_connections_waiting',
      'Calls that wait for a connection of a pool.',
      ofPools.map(([pool, { waiting }]) => [pool, waiting]),
    ),
    gauge('eaas_database_size_bytes', 'Size of the database on disk.', measured?.databaseBytes ?? 0),
    gauge(
      'eaas_api_keys_expiring',
      'API keys that expire within 7 days and were used in the last 7 days.',
      measured?.expiring ?? 0,
    ),
    gauge(
      'eaas_api_key_next_expiry_timestamp_seconds',
      'Time when the first of the expiring API keys expires, or 0.',
      (measured?.nextExpiry ?? 0) / 1000,
    ),
    gauge(
      'eaas_clock_difference_seconds',
      "How far this machine's clock is ahead of the database's.",
      service.clock.wallClockError() / 1000,
    ),
    counter(
      'eaas_job_failures_total',
      'Runs of a job that failed.',
      jobs.map(({ name, failures }) => [job(name), failures]),
    ),
    gauge(
      'eaas_job_last_success_timestamp_seconds',
      'Time when a job last succeeded.',
      jobs.map(({ name, lastSuccess }) => [job(name), lastSuccess ?? 0]),
    ),
  ].join('');
}
