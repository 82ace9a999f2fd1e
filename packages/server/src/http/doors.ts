import type { Input, Output, Route } from '@eaas/protocol/wire';
import type { Admission } from '../admission/admission.ts';
import type { Arrival, Caller } from '../caller.ts';
import { admit, confirmAdmission } from '../operations/admit.ts';
import { operations } from '../operations/table.ts';
import type { Service } from '../service.ts';
import { type Health, healthOf } from './health.ts';
import { serviceMetrics, type ServerState } from './service-metrics.ts';

/** The functions of the service that the HTTP layer calls. */
export interface Doors {
  /** The queues in which tenants wait for their share. */
  readonly admission: Admission;
  /**
   * Admits a request. Throws 401, 503, or 403 for the origin, the permission or an envelope-only tenant. The refusal of
   * an envelope-only tenant is recorded in its log.
   */
  admit(arrival: Arrival): Promise<Caller>;
  /**
   * Checks the caller against the database and throws like `admit`, which can use cached state. Call this before any
   * other refusal, because 401 and 403 are decided first. Operations do not need this call: they read current state.
   */
  confirm(caller: Caller): Promise<void>;
  /** Runs the operation of the route. Throws Refusal. */
  run<R extends Route>(route: R, caller: Caller, input: Input<R>): Promise<Output<R>>;
  /** Returns whether the service can work, or the reasons why it cannot. Anyone can read the reasons at /readyz. */
  health(): Promise<Health>;
  /** Returns the metrics of the service in the Prometheus text format. */
  metrics(): Promise<string>;
  /** Returns whether the service is stopping and so refuses new requests. */
  draining(): boolean;
}

/** Creates the functions of a service for the HTTP layer. */
export function openDoors(service: Service, state: ServerState & { readonly draining: boolean }): Doors {
  /** Runs a call, and raises the alarm if the call finds a tampered row. */
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
    draining: () => state.draining,
  };
}
