import { oncePer } from '../admission/once-per.ts';
import type { Service } from '../service.ts';
import { readClock } from '../state/clock.ts';

/** The reasons why /readyz responds with 503. */
export const notReady = {
  database: 'the database does not respond',
  audit: 'audit entries cannot be written',
  unknown: 'the check failed',
  stopping: 'the service is stopping',
} as const;

export interface Health {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/**
 * The time in milliseconds that the service is not ready after a failed append to an audit log. A later successful
 * append makes the service ready at once.
 */
const failureCounts = 10_000;

/** Returns a function that checks whether the service can work. It queries the database at most once per second. */
export function healthOf(service: Service): () => Promise<Health> {
  const askDatabase = oncePer(1_000, () => readClock(service));
  return async () => {
    try {
      await askDatabase();
    } catch {
      return { ready: false, reasons: [notReady.database] };
    }
    const { failedAt } = service.counts;
    const fails = failedAt !== null && performance.now() - failedAt < failureCounts;
    return { ready: !fails, reasons: fails ? [notReady.audit] : [] };
  };
}
