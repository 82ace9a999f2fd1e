// The jobs of a server: what is due, old or to be verified, and those of packages around the server. `serve` starts them.
// The comment on each is what the operator's page of metrics says about it.
import type { FastifyBaseLogger } from 'fastify';
import type { ServeOptions } from './options.ts';
import type { Service } from './service.ts';
import type { ServerState } from '../http/metrics.ts';
import { settleDueKeys } from '../jobs/due-keys.ts';
import { foldTallies } from '../jobs/fold-tallies.ts';
import { recordLastUses } from '../jobs/last-uses.ts';
import { measure } from '../jobs/measure.ts';
import { purge } from '../jobs/purge.ts';
import { compareSchema } from '../postgres/migrate.ts';
import { type Job, leasedJobs } from '../jobs/schedule.ts';
import { lastNight, type NightListener, verifyNightly } from '../jobs/verify-nightly.ts';

/** All jobs of a server. What they find out for its metrics they put into `state`. */
export function serverJobs(
  service: Service,
  { auditRetentionMonths: months, plugins, schemaAllow }: ServeOptions,
  state: ServerState,
  log: FastifyBaseLogger,
): Job[] {
  const { alarms, background, counts, ledger, roots } = service;
  const leased = leasedJobs(service);
  const listener: NightListener = {
    broken: (tenantId, findings) =>
      log.error({ tenant_id: tenantId, findings }, 'the audit chain of a tenant is broken'),
    incomplete: (tenantId) => {
      counts.incompleteVerifications++;
      log.warn(
        { tenant_id: tenantId },
        'the verification of an audit log is not complete: the log says more than is kept in memory to compare it with',
      );
    },
  };
  return [
    // Stores when API keys were last used on this server.
    { name: 'last_uses', everySeconds: 60, run: () => recordLastUses(service) },
    // Rotates active keys that are due, and erases keys after their grace days.
    leased('due_keys', 10, (lease) => settleDueKeys(service, lease)),
    // Deletes entries older than the retention.
    leased('purge', 3_600, (lease) => purge(service, months, lease)),
    // Adds up the counts of months that are over.
    leased('fold_tallies', 3_600, (lease) => foldTallies(service, lease)),
    // From 03:00 UTC, verifies the new entries of every tenant, and a thirtieth of the tenants whole.
    leased('verify', 600, (lease) => verifyNightly(service, lease, listener)),
    // Measures the database, and counts the API keys that expire soon.
    {
      name: 'measure',
      everySeconds: 1_800,
      run: async () => {
        state.measured = await background.run((sql) => measure(sql, ledger.clock.now()), 30_000);
      },
    },
    // Compares the schema of the database with what the program makes.
    {
      name: 'schema',
      everySeconds: 1_800,
      run: async () => {
        const options = { roots, allow: schemaAllow ?? [] };
        const { faults, allowed, isUnknown } = await background.run(
          (sql) => compareSchema(sql, options),
          30_000,
        );
        if (faults.length > 0) alarms.schemaChanged(faults);
        state.schema = { faults: faults.length, allowed: allowed.length, isUnknown };
      },
    },
    // Reads what the nightly verification found.
    {
      name: 'verified',
      everySeconds: 60,
      run: async () => {
        state.verified = await lastNight(service);
      },
    },
    ...plugins.flatMap((plugin) => plugin.jobs?.(service, log) ?? []),
  ];
}
