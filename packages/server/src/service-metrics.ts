import type { JobReport } from './jobs/schedule.ts';
import type { Service } from './service.ts';
import type { FinishedVerification } from './store/jobs.ts';

/** What the service counts, in the Prometheus text format. No label names a tenant. */
export function serviceMetrics(
  service: Service,
  jobs: readonly JobReport[],
  verified: FinishedVerification | undefined,
): string {
  const { appends, entries, conflicts, failures } = service.counts;
  return [
    metric('eaas_audit_entries_total', 'counter', 'Audit entries appended by this replica.', entries),
    metric('eaas_audit_appends_total', 'counter', 'Statements that appended them.', appends),
    metric(
      'eaas_audit_conflicts_total',
      'counter',
      'Appends that came after those of another replica.',
      conflicts,
    ),
    metric(
      'eaas_audit_append_failures_total',
      'counter',
      'Appends that the database did not confirm.',
      failures,
    ),
    metric(
      'eaas_audit_waiting_entries',
      'gauge',
      'Entries that wait to be written.',
      service.waiting.entries,
    ),
    metric(
      'eaas_audit_broken_chains',
      'gauge',
      'Tenants whose chain the last nightly verification found broken.',
      verified?.broken ?? 0,
    ),
    metric(
      'eaas_audit_verified_timestamp_seconds',
      'gauge',
      'When the last nightly verification finished.',
      (verified?.finished_at ?? 0) / 1000,
    ),
    metric(
      'eaas_audit_head_went_back_total',
      'counter',
      'Times that a chain was found shorter than it had been: the database was restored or failed over.',
      service.tenants.wentBack,
    ),
    ...head('eaas_job_failures_total', 'counter', 'Runs of a job that failed.'),
    ...jobs.map((job) => `eaas_job_failures_total{job="${job.name}"} ${job.failures}`),
    ...head('eaas_job_last_success_timestamp_seconds', 'gauge', 'When a job last succeeded.'),
    ...jobs.map(
      (job) => `eaas_job_last_success_timestamp_seconds{job="${job.name}"} ${job.lastSuccess ?? 0}`,
    ),
    '',
  ].join('\n');
}

function metric(name: string, type: string, help: string, value: number): string {
  return [...head(name, type, help), `${name} ${value}`].join('\n');
}

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}
