import { SharedRead } from '../base/shared-read.ts';
import type { Service } from '../app/service.ts';
import { readClock } from '../state/clock.ts';
import { isWhollyClosed } from '../store/heads.ts';

export const notReady = {
  database: 'the database does not respond',
  audit: 'audit entries cannot be written',
  closed: 'another database serves the tenants',
  unknown: 'the check failed',
  stopping: 'the service is stopping',
} as const;

export interface Health {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

const failureCounts = 10_000;

export function healthOf(service: Service): () => Promise<Health> {
  const askDatabase = new SharedRead(async () => {
    await readClock(service);
    const { tenants, database } = service;
    if (tenants.mayBeClosed) tenants.mayBeClosed = await database.run(isWhollyClosed, 2_000);
    return tenants.mayBeClosed;
  }, 1_000);
  return async () => {
    try {
      if (await askDatabase.recent()) return { ready: false, reasons: [notReady.closed] };
    } catch {
      return { ready: false, reasons: [notReady.database] };
    }
    const { failedAt } = service.counts;
    const fails = failedAt !== null && performance.now() - failedAt < failureCounts;
    return { ready: !fails, reasons: fails ? [notReady.audit] : [] };
  };
}
