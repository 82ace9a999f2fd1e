import type { RootKey } from './crypto/key-hierarchy.ts';
import { Refusal } from './refusal.ts';
import { Used } from './state/used.ts';
import { Tenants } from './state/tenants.ts';
import type { Database } from './store/database.ts';

/** What every operation works with. */
export interface Service {
  readonly database: Database;
  readonly tenants: Tenants;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly waiting: WaitingRoom;
  readonly used: Used;
  readonly counts: Counts;
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
  roots: readonly [RootKey, ...RootKey[]];
  clock?: () => number;
}): Service {
  const { database, roots, clock = Date.now } = options;
  return {
    database,
    clock,
    tenants: new Tenants(database, roots),
    waiting: new WaitingRoom(20_000),
    used: new Used(clock),
    counts: { appends: 0, entries: 0, conflicts: 0, failures: 0, failedAt: null },
  };
}

/** How many entries wait to be written, in all. Beyond its size requests are turned away at once. */
class WaitingRoom {
  readonly #size: number;
  entries = 0;

  constructor(size: number) {
    this.#size = size;
  }

  enter(entries: number): void {
    if (this.entries + entries > this.#size) {
      throw new Refusal(
        'unavailable',
        'The service has more requests than it can write down; try again in a moment.',
      );
    }
    this.entries += entries;
  }

  leave(entries: number): void {
    this.entries -= entries;
  }
}
