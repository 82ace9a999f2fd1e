import { type Route } from '@eaas/protocol/wire';
import type { Caller } from './caller.ts';
import type { Doors } from './http/doors.ts';
import type { JobReport } from './jobs/schedule.ts';
import { admit } from './operations/admit.ts';
import { operations } from './operations/table.ts';
import type { Service } from './service.ts';
import { clockDifference } from './store/jobs.ts';
import { serviceMetrics } from './service-metrics.ts';

/** A replica more than this off the database's clock is not ready: its entries would carry a wrong time. */
const mostClockDifference = 1_000;

/** The service as the http door sees it. */
export function openDoors(
  service: Service,
  state: { readonly draining: boolean; readonly jobs: readonly JobReport[]; readonly brokenChains: number },
): Doors<Caller> {
  const bound = Object.fromEntries(
    Object.entries(operations).map(([route, operation]) => [
      route,
      (caller: Caller, input: never) => (operation as (...all: unknown[]) => unknown)(service, caller, input),
    ]),
  );
  return {
    admit: (arrival) => admit(service, arrival),
    operations: bound as unknown as Record<Route, never>,
    health: () => health(service),
    metrics: async () => serviceMetrics(service, state.jobs, state.brokenChains),
    draining: () => state.draining,
  };
}

async function health(service: Service): Promise<{ ready: boolean; reasons: string[] }> {
  try {
    const difference = await service.database.run((sql) => clockDifference(sql, service.clock), 2_000);
    if (Math.abs(difference) <= mostClockDifference) return { ready: true, reasons: [] };
    return { ready: false, reasons: ['the clock differs from the database by more than a second'] };
  } catch {
    return { ready: false, reasons: ['the database does not answer'] };
  }
}
