import type { Roots } from '../crypto/key-hierarchy.ts';
import { type Admission, createAdmission } from '../admission/admission.ts';
import { Alarms } from '../base/alarms.ts';
import { type Clock, DatabaseClock } from '../state/clock.ts';
import { KeyHosts } from '../state/key-hosts.ts';
import { Tallies, Used } from '../state/tallies.ts';
import { Tenants } from '../state/tenants.ts';
import type { Database } from '../store/database.ts';
import type { Transaction } from '../store/sql.ts';

/** What every operation needs: connections, the state of the tenants, the clock, admission and counters. */
export interface Service {
  readonly database: Database;
  /** Separate connections for lists, because slow lists must not delay other requests. */
  readonly reads: Database;
  readonly background: Database;
  readonly tenants: Tenants;
  readonly clock: Clock;
  readonly admission: Admission;
  readonly alarms: Alarms;
  readonly used: Used;
  readonly counts: Counts;
  /** Where the keys of sign-ins may be fetched. */
  readonly keyHosts: KeyHosts;
  /** The public log of all heads, which reads from this service, if the operator has switched it on. */
  publicLog?: PublicLog;
}

/** What the server needs of the public log, which a package of its own keeps. */
export interface PublicLog {
  /** Reads what is public at a path, as in `checkpoint` or `tile/0/000`. */
  read(path: string): Promise<PublicFile | undefined>;
  /** The text of the first kept proof of a head at or after the entry, or of the newest. Throws Refusal if there is none. */
  proof(tx: Transaction, tenantId: string, id: number | undefined): Promise<string>;
  /** The first entry after another one that the log proved otherwise than the chain has it, or undefined. */
  contradicted(tx: Transaction, tenantId: string, after: number): Promise<number | undefined>;
}

interface PublicFile {
  readonly bytes: Buffer | string;
  readonly type: string;
  /** For how long caches may keep it, in seconds. */
  readonly maxAge: number;
}

class Counts {
  appends = 0;
  entries = 0;
  conflicts = 0;
  failures = 0;
  waiting = 0;
  intakeOpened = 0;
  readonly tallies = new Tallies();
  /**
   * The time at which the last failed append ended, as a value of `performance.now()`, or null after a successful
   * append.
   */
  failedAt: number | null = null;
}

/** Puts the parts of a service together. Reads and jobs use `database` unless they have their own. */
export function createService(options: {
  database: Database;
  reads?: Database;
  background?: Database;
  roots: Roots;
  clock?: Clock;
  keyHosts?: KeyHosts;
}): Service {
  const { database, reads = database, background = database, roots, keyHosts = new KeyHosts([]) } = options;
  const clock = options.clock ?? new DatabaseClock();
  const admission = createAdmission();
  const alarms = new Alarms();
  return {
    database,
    reads,
    background,
    clock,
    tenants: new Tenants(database, roots, clock, admission, alarms, keyHosts),
    admission,
    alarms,
    used: new Used(clock),
    counts: new Counts(),
    keyHosts,
  };
}
