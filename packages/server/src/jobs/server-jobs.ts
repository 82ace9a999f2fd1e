// The jobs of every server: what is due, old or to be verified. `serve` starts them, with those of packages around the server.
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
    { name: 'last_uses', everySeconds: 60, run: () => recordLastUses(service) },
    leased('due_keys', 10, (lease) => settleDueKeys(service, lease)),
    leased('purge', 3_600, (lease) => purge(service, months, lease)),
    leased('fold_tallies', 3_600, (lease) => foldTallies(service, lease)),
    leased('verify', 600, (lease) => verifyNightly(service, lease, onBroken)),
  ];
}
