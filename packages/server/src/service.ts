import type { Roots } from './crypto/key-hierarchy.ts';
import { type Admission, createAdmission } from './admission/admission.ts';
import { Alarms } from './alarms.ts';
import { type Clock, DatabaseClock } from './state/clock.ts';
import { Used } from './state/used.ts';
import { Tenants } from './state/tenants.ts';
import type { Database } from './store/database.ts';

/** The connections, caches and counters that every operation uses. */
export interface Service {
  /** The connection pool for short database work of requests: authentication, appends to the audit log, and changes. */
  readonly database: Database;
  /** The connection pool for lists. Lists can be slow and must not delay other work. */
  readonly reads: Database;
  /** The connection pool for verifications and jobs. */
  readonly background: Database;
  readonly tenants: Tenants;
  readonly clock: Clock;
  /** The queues in which tenants wait for memory, connections and CPU time. */
  readonly admission: Admission;
  readonly alarms: Alarms;
  readonly used: Used;
  readonly counts: Counts;
}

interface Counts {
  appends: number;
  entries: number;
  conflicts: number;
  failures: number;
  waiting: number;
  /**
   * The time of the last append to an audit log if that append failed, by performance.now(). Null if the last append
   * succeeded.
   */
  failedAt: number | null;
}

export function createService(options: {
  database: Database;
  /** The connection pool for lists. Defaults to `database`. */
  reads?: Database;
  background?: Database;
  roots: Roots;
  clock?: Clock;
}): Service {
  const { database, reads = database, background = database, roots } = options;
  const clock = options.clock ?? new DatabaseClock();
  const admission = createAdmission();
  const alarms = new Alarms();
  return {
    database,
    reads,
    background,
    clock,
    tenants: new Tenants(database, roots, clock, admission, alarms),
    admission,
    alarms,
    used: new Used(clock),
    counts: { appends: 0, entries: 0, conflicts: 0, failures: 0, waiting: 0, failedAt: null },
  };
}
