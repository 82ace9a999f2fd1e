import type { HeadRow } from '../store/heads.ts';
import { Queue } from './queue.ts';
import { SharedRead } from './shared-read.ts';
import type { TenantState } from './tenant-state.ts';

/**
 * The data of one tenant in this replica: the tenant's row and keys, the head of the audit log, and the requests that
 * wait to append audit entries.
 */
export class TenantView {
  state: TenantState;
  head: HeadRow;
  /**
   * The start of the latest read whose result is in this object, by performance.now(). The result of an earlier read
   * must not replace the data in this object.
   */
  readAt: number;
  readonly queue = new Queue();
  /** The number of conflicts with other replicas since the last successful append. */
  conflicts = 0;
  /** Whether another object with newer data has replaced this object, or the tenant no longer exists. */
  gone = false;
  /** The start of the read that last confirmed that the tenant has not changed, by performance.now(). */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** The database's time at which it was last confirmed that the tenant has not changed. */
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

  /** Returns whether this replica still uses the given data of the tenant. A decision by outdated data is not valid. */
  stands(state: TenantState): boolean {
    return !this.gone && this.state === state;
  }

  /**
   * Waits for a database read that began at or after `since` and shows that the tenant has not changed. Returns the
   * database's time of the read. Concurrent calls share one read.
   */
  async confirm(since: number): Promise<number> {
    while (this.#confirmedAt < since && !this.gone) await this.#headRead.run();
    return this.#confirmedTime;
  }

  /**
   * Records that a read or an append that began at `startedAt` has shown that the tenant has not changed. `time` is the
   * database's time.
   */
  wasCurrent(startedAt: number, time: number): void {
    if (startedAt < this.#confirmedAt) return;
    this.#confirmedAt = startedAt;
    this.#confirmedTime = time;
  }
}
