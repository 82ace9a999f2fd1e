// What HTTP needs of the service, as one value: a test opens the same doors with a service in memory.
import type { Input, Output, Route } from '@eaas/protocol/wire';
import { Gauge, Registry } from 'prom-client';
import type { Admission } from '../admission/admission.ts';
import type { PublicLog, Service } from '../app/service.ts';
import { SharedRead } from '../base/shared-read.ts';
import { admit, type Arrival, confirmAdmission } from '../operations/admit.ts';
import { operations } from '../operations/table.ts';
import type { Caller } from '../state/caller.ts';
import { readClock } from '../state/clock.ts';
import { available } from '../state/decide.ts';
import { HttpMetrics, serviceMetrics, type ServerState } from './metrics.ts';

/** Why a replica is not ready, as GET /readyz says. */
export const notReady = {
  database: 'the database does not respond',
  audit: 'audit entries cannot be written',
  unknown: 'the check failed',
  stopping: 'the service is stopping',
} as const;

/** What GET /readyz says. */
export interface Health {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

const failureCounts = 10_000;

/** Whether the service can serve: the database is asked at most once a second. */
function healthOf(service: Service): () => Promise<Health> {
  const askDatabase = new SharedRead(() => readClock(service), 1_000);
  return async () => {
    try {
      await askDatabase.recent();
    } catch {
      return { ready: false, reasons: [notReady.database] };
    }
    const { failedAt } = service.counts;
    const fails = failedAt !== null && performance.now() - failedAt < failureCounts;
    return { ready: !fails, reasons: fails ? [notReady.audit] : [] };
  };
}

/** What the routes call. */
export interface Doors {
  readonly admission: Admission;
  admit(arrival: Arrival): Promise<Caller>;
  /** Checks the API key against current data, so that a request with a revoked API key gets 401. */
  confirm(caller: Caller): Promise<void>;
  run<R extends Route>(route: R, caller: Caller, input: Input<R>): Promise<Output<R>>;
  /** Reports the error of a call, if it shows that a row was changed by something other than the service. */
  failed(error: unknown): void;
  readonly requests: HttpMetrics;
  health(): Promise<Health>;
  /** Reads what the public log shows to everyone, if there is one. */
  readonly readLog?: PublicLog['read'];
  readonly registry: Registry;
  /** The text of /metrics. */
  metrics(): Promise<string>;
}

/** Opens the doors to a service. */
export function openDoors(service: Service, state: ServerState): Doors {
  const registry = new Registry();
  const requests = new HttpMetrics(registry);
  const health = healthOf(service);
  const { publicLog, admission } = service;
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
    admit: (arrival) => admit(service, arrival),
    confirm: (caller) => confirmAdmission(service, caller),
    run: (route, caller, input) => operations[route](service, caller, input),
    failed: (error) => service.alarms.failed(error),
    health,
    ...(publicLog && {
      readLog: (path: string) =>
        available(() => admission.shares.reads.run('no tenant', 1, () => publicLog.read(path))),
    }),
    requests,
    registry,
    metrics: () => registry.metrics(),
  };
}
