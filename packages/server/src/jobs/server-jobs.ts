// The jobs of every server: what is due, old or to be verified. `serve` starts them, with those of packages around the server.
// The comment on each is what the operator's page of metrics says about it.
import type { Service } from '../app/service.ts';
import { settleDueKeys } from './due-keys.ts';
import { foldTallies } from './fold-tallies.ts';
import { recordLastUses } from './last-uses.ts';
import { purge } from './purge.ts';
import { type Job, type Lease, withLease } from './schedule.ts';
import { verifyNightly } from './verify-nightly.ts';

/** Makes a job that only one of all replicas runs at a time. */
export const leasedJobs =
  (service: Service) =>
  (name: string, everySeconds: number, run: (lease: Lease) => Promise<void>): Job => ({
    name,
    everySeconds,
    run: async (signal) => void (await withLease(service, name, signal, run)),
  });

/** `onBroken` is told of each log that the nightly verification finds broken. */
export function serverJobs(
  service: Service,
  { auditRetentionMonths: months }: { readonly auditRetentionMonths: number },
  onBroken: Parameters<typeof verifyNightly>[2],
): Job[] {
  const leased = leasedJobs(service);
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
    leased('verify', 600, (lease) => verifyNightly(service, lease, onBroken)),
  ];
}
