import type { RootKey } from './crypto/key-hierarchy.ts';
import { Refusal } from './refusal.ts';
import { Used } from './state/used.ts';
import { Slots } from './slots.ts';
import { Tenants } from './state/tenants.ts';
import type { Database } from './store/database.ts';
import { WaitingRoom } from './waiting-room.ts';

/** What every operation works with. */
export interface Service {
  /** For what a request waits for: authentication, appends, changes. */
  readonly database: Database;
  /** For lists, which may take a while, so that they keep nobody else waiting. */
  readonly reads: Database;
  /** For what takes long: verification and jobs. */
  readonly background: Database;
  readonly tenants: Tenants;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly waiting: WaitingRoom;
  readonly used: Used;
  readonly counts: Counts;
  readonly verifications: Slots;
  /** Milliseconds that the clock is ahead of the database's, when last looked at. */
  clockError: number;
  /** When that was, by performance.now(). */
  clockReadAt: number;
}

/** What this replica has done since it started. */
interface Counts {
  appends: number;
  entries: number;
  conflicts: number;
  failures: number;
  /** When the last append failed, by performance.now(); null once one has succeeded. */
  failedAt: number | null;
}

/** The wiring. */
export function createService(options: {
  database: Database;
  /** The same where absent. */
  reads?: Database;
  background?: Database;
  roots: readonly [RootKey, ...RootKey[]];
  clock?: () => number;
}): Service {
  const { database, reads = database, background = database, roots, clock = Date.now } = options;
  return {
    database,
    reads,
    background,
    clock,
    tenants: new Tenants(database, roots),
    waiting: new WaitingRoom(20_000),
    used: new Used(clock),
    counts: { appends: 0, entries: 0, conflicts: 0, failures: 0, failedAt: null },
    verifications: new Slots(2, 5_000),
    clockError: 0,
    clockReadAt: Number.NEGATIVE_INFINITY,
  };
}

/** A replica more than so many milliseconds off the database's clock is not ready: its entries would carry a wrong time. */
const mostClockError = 1_000;

export function hasRightClock({ clockError }: Service): boolean {
  return Math.abs(clockError) <= mostClockError;
}

/** Throws 503 while the clock is known to be wrong: by it keys would be destroyed, and API keys expire, at a wrong time. */
export function requireRightClock(service: Service): void {
  if (hasRightClock(service)) return;
  throw new Refusal(
    'unavailable',
    "The clock of the service is not the database's; the operator has to set it right.",
  );
}
