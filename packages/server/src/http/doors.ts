import type { Input, Output, Route } from '@eaas/protocol/wire';
import { Gauge, Registry } from 'prom-client';
import type { Admission } from '../admission/admission.ts';
import { admit, type Arrival, confirmAdmission } from '../operations/admit.ts';
import { operations } from '../operations/table.ts';
import type { Service } from '../app/service.ts';
import type { Caller } from '../state/caller.ts';
import { type Health, healthOf } from './health.ts';
import { HttpMetrics, serviceMetrics, type ServerState } from './metrics.ts';

export interface Doors {
  readonly admission: Admission;
  admit(arrival: Arrival): Promise<Caller>;
  /** Checks the API key against current data, so that a request with a revoked API key gets 401. */
  confirm(caller: Caller): Promise<void>;
  run<R extends Route>(route: R, caller: Caller, input: Input<R>): Promise<Output<R>>;
  readonly requests: HttpMetrics;
  health(): Promise<Health>;
  readonly registry: Registry;
  /** The text of /metrics. */
  metrics(): Promise<string>;
}

export function openDoors(service: Service, state: ServerState): Doors {
  const watched = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      service.alarms.failed(error);
      throw error;
    }
  };
  const registry = new Registry();
  const requests = new HttpMetrics(registry);
  const health = healthOf(service);
  serviceMetrics(service, state, registry);
  registry.registerMetric(
    new Gauge({
      name: 'eaas_ready',
      help: 'Whether the replica is ready (1) or not (0), as GET /readyz says.',
      registers: [],
      async collect() {
        this.set(Number((await health()).ready));
      },
    }),
  );
  return {
    admission: service.admission,
    admit: (arrival) => watched(() => admit(service, arrival)),
    confirm: (caller) => watched(() => confirmAdmission(service, caller)),
    run: (route, caller, input) => watched(() => operations[route](service, caller, input)),
    health,
    requests,
    registry,
    metrics: () => registry.metrics(),
  };
}
