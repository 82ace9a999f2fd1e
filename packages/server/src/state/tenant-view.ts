import type { HeadRow } from '../store/heads.ts';
import { Queue } from './queue.ts';
import { SharedRead } from './shared-read.ts';
import type { TenantState } from './tenant-state.ts';

/** One tenant as a replica knows it: its state, its head, and the requests that wait to append. */
export class TenantView {
  state: TenantState;
  head: HeadRow;
  /** Reads that began before this moment are older than the view. All moments are values of performance.now(). */
  readAt: number;
  readonly queue = new Queue();
  /** The number of conflicts since the last successful append. */
  conflicts = 0;
  /** Whether another view has replaced this one, or the tenant no longer exists. */
  gone = false;
  /** The state was still current at some moment after this one. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** The database's time at that moment. */
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

  /** Returns whether a decision by this state is still valid as far as this replica knows. */
  stands(state: TenantState): boolean {
    return !this.gone && this.state === state;
  }

  /** Makes sure that the state was current after a moment, and returns the database's time then. Calls share one read. */
  async confirm(since: number): Promise<number> {
    while (this.#confirmedAt < since && !this.gone) await this.#headRead.run();
    return this.#confirmedTime;
  }

  /** Records that the state was current after the moment `startedAt`, and the database's time then. */
  wasCurrent(startedAt: number, time: number): void {
    if (startedAt < this.#confirmedAt) return;
    this.#confirmedAt = startedAt;
    this.#confirmedTime = time;
  }
}
