import type { Input, Output, Route } from '@eaas/protocol/wire';
import type { Admission } from '../admission/admission.ts';
import type { Arrival, Caller } from '../caller.ts';
import { admit, confirmAdmission } from '../operations/admit.ts';
import { operations } from '../operations/table.ts';
import type { Service } from '../service.ts';
import { type Health, healthOf } from './health.ts';
import { serviceMetrics, type ServerState } from './service-metrics.ts';

/** The functions of the service that the HTTP server calls. */
export interface Doors {
  /** The queues in which tenants wait for memory, connections and CPU time. */
  readonly admission: Admission;
  /**
   * Admits a request, or throws 401, 403 or 503. The reasons for 403 are the origin, a missing permission, and an
   * envelope-only tenant. The tenant's audit log records only the last reason.
   */
  admit(arrival: Arrival): Promise<Caller>;
  /**
   * Checks an admitted caller against the database, because `admit` can use cached data. Throws the same errors as
   * `admit`. Call this function before any other refusal, because 401 and 403 have precedence. Operations read current
   * data and do not need this function.
   */
  confirm(caller: Caller): Promise<void>;
  run<R extends Route>(route: R, caller: Caller, input: Input<R>): Promise<Output<R>>;
  /**
   * Returns whether the service can work. If it cannot, the result contains the reasons, which anyone can read at
   * /readyz.
   */
  health(): Promise<Health>;
  metrics(): Promise<string>;
}

export function openDoors(service: Service, state: ServerState): Doors {
  /** Runs a call. Raises an alarm if the call finds a tampered row. */
  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      service.alarms.failed(error);
      throw error;
    }
  };
  return {
    admission: service.admission,
    admit: (arrival) => watched(() => admit(service, arrival)),
    confirm: (caller) => watched(() => confirmAdmission(service, caller)),
    run: (route, caller, input) => watched(() => operations[route](service, caller, input)),
    health: healthOf(service),
    metrics: async () => serviceMetrics(service, state),
  };
}
