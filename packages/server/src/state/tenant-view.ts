import type { HeadRow } from '../store/heads.ts';
import { Queue } from './queue.ts';
import { SharedRead } from './shared-read.ts';
import type { MinuteCount } from './tallies.ts';
import type { TenantState } from './tenant-state.ts';

export class TenantView {
  state: TenantState;
  head: HeadRow;
  /**
   * The value of `performance.now()` when the latest read of the tenant began. The result of a read that began earlier
   * must not replace newer data.
   */
  readAt: number;
  readonly queue = new Queue();
  conflicts = 0;
  readonly unwraps: MinuteCount = { minute: 0, count: 0 };
  gone = false;
  #confirmedAt = Number.NEGATIVE_INFINITY;
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

  stands(state: TenantState): boolean {
    return !this.gone && this.state === state;
  }

  async confirm(since: number): Promise<number> {
    while (this.#confirmedAt < since && !this.gone) await this.#headRead.run();
    return this.#confirmedTime;
  }

  wasCurrent(startedAt: number, time: number): void {
    if (startedAt < this.#confirmedAt) return;
    this.#confirmedAt = startedAt;
    this.#confirmedTime = time;
  }
}
