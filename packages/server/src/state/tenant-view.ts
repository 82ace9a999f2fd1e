import type { HeadRow } from '../store/heads.ts';
import { Queue } from './queue.ts';
import { SharedRead } from './shared-read.ts';
import type { TenantState } from './tenant-state.ts';

/** The data that a replica has about one tenant: its state, its head, and the requests that wait to append. */
export class TenantView {
  state: TenantState;
  head: HeadRow;
  /** Reads that began before this moment are older than the view. All moments are values of performance.now(). */
  readAt: number;
  readonly queue = new Queue();
  /** The number of conflicts since the last successful append. */
  conflicts = 0;
  /** Whether another view has replaced this view, or the tenant no longer exists. */
  gone = false;
  /** A moment by performance.now(). The state was still current at some time after this moment. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** The database's time when the state was last known to be current. */
  #confirmedTime = Number.NEGATIVE_INFINITY;
  readonly #headRead: SharedRead<void>;

  constructor(
    state: TenantState,
    head: HeadRow,
    readAt: number,
    readHead: (view: TenantView) => Promise<void>,
  ) {
    this.state = state;
    this.head = head;
    this.readAt = readAt;
    this.#headRead = new SharedRead(() => readHead(this));
  }

  /** Returns whether this replica has no newer state, so a decision by this state can still be valid. */
  stands(state: TenantState): boolean {
    return !this.gone && this.state === state;
  }

  /**
   * Makes sure that the state was still current after a moment. Returns the database's time of this check. Concurrent
   * calls share one read.
   */
  async confirm(since: number): Promise<number> {
    while (this.#confirmedAt < since && !this.gone) await this.#headRead.run();
    return this.#confirmedTime;
  }

  /** Records that the state was still current after the moment `startedAt`, and the database's time of this check. */
  wasCurrent(startedAt: number, time: number): void {
    if (startedAt < this.#confirmedAt) return;
    this.#confirmedAt = startedAt;
    this.#confirmedTime = time;
  }
}
