// Whether a replica can serve, as GET /readyz says.
import { SharedRead } from '@eaas/service';

/** Why a replica is not ready. */
export const notReady = {
  database: 'the database does not respond',
  audit: 'audit entries cannot be written',
  stopping: 'the service is stopping',
} as const;

/** What GET /readyz says. */
export interface Health {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/** For how long a failed append counts, in milliseconds. A later one that succeeds ends it. */
const failureCounts = 10_000;

/** Returns a check that asks the database at most once a second. */
export function healthOf(
  askDatabase: () => Promise<unknown>,
  counts: { readonly failedAt: number | null },
  isStopping: () => boolean,
): () => Promise<Health> {
  const asked = new SharedRead(askDatabase, 1_000);
  return async () => {
    if (isStopping()) return { ready: false, reasons: [notReady.stopping] };
    try {
      await asked.recent();
    } catch {
      return { ready: false, reasons: [notReady.database] };
    }
    const { failedAt } = counts;
    const fails = failedAt !== null && performance.now() - failedAt < failureCounts;
    return { ready: !fails, reasons: fails ? [notReady.audit] : [] };
  };
}
