import { type Route } from '@eaas/protocol/wire';
import type { Caller } from './caller.ts';
import type { Doors } from './http/doors.ts';
import type { JobReport } from './jobs/schedule.ts';
import { watchClock } from './jobs/watch-clock.ts';
import { admit, confirmAdmission } from './operations/admit.ts';
import { operations } from './operations/table.ts';
import { hasRightClock, type Service } from './service.ts';
import type { FinishedVerification } from './store/jobs.ts';
import { serviceMetrics } from './service-metrics.ts';

/** An append that failed so many milliseconds ago, with none after it, is forgotten: requests must come to try again. */
const failureCounts = 10_000;

/** The service as the http door sees it. */
export function openDoors(
  service: Service,
  state: {
    readonly draining: boolean;
    readonly jobs: readonly JobReport[];
    readonly verified: FinishedVerification | undefined;
  },
): Doors<Caller> {
  const bound = Object.fromEntries(
    Object.entries(operations).map(([route, operation]) => [
      route,
      (caller: Caller, input: never) => (operation as (...all: unknown[]) => unknown)(service, caller, input),
    ]),
  );
  return {
    admit: (arrival) => admit(service, arrival),
    confirm: (caller) => confirmAdmission(service, caller),
    operations: bound as unknown as Record<Route, never>,
    health: () => health(service),
    metrics: async () => serviceMetrics(service, state.jobs, state.verified),
    draining: () => state.draining,
  };
}

async function health(service: Service): Promise<{ ready: boolean; reasons: string[] }> {
  try {
    // Anybody may ask, so the database is asked at most once a second.
    if (performance.now() - service.clockReadAt > 1_000) await watchClock(service);
    const { failedAt } = service.counts;
    const reasons = [
      ...(hasRightClock(service) ? [] : ['the clock differs from the database by over a second']),
      ...(failedAt !== null && performance.now() - failedAt < failureCounts
        ? ['audit entries cannot be written']
        : []),
    ];
    return { ready: reasons.length === 0, reasons };
  } catch {
    return { ready: false, reasons: ['the database does not answer'] };
  }
}
