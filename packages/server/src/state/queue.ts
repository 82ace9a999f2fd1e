import { setTimeout as sleep } from 'node:timers/promises';
import type { Draft } from '@eaas/protocol/service';
import type { TenantState } from './tenant-state.ts';

/**
 * The outcome of a request's entries. `moved` means that the state has changed, so that the request must be decided again.
 */
export type Outcome = 'written' | 'moved' | 'over_quota';

export interface Waiting {
  /** The state of the tenant by which this request was decided. */
  readonly state: TenantState;
  readonly drafts: readonly Draft[];
  /** The estimated number of bytes that the drafts take in a statement. */
  readonly bytes: number;
  readonly actor: string;
  readonly ipAddress: string | null;
  /** The time at which the API key expires, which makes the decision invalid. Null if the API key never expires. */
  readonly validUntil: number | null;
  /** Whether this request counts against the monthly quota. */
  readonly isEncrypt: boolean;
  settle(outcome: Outcome): void;
  fail(error: unknown): void;
  /** Whether the caller already has a response. Then no entry must be written for this request. */
  gone: boolean;
}

/** While this replica changes a tenant, requests and appends of that tenant wait for at most this many milliseconds. */
const mostWait = 250;

/** The requests of one tenant that wait to append entries to the tenant's log. */
export class Queue {
  waiting: Waiting[] = [];
  draining = false;
  #change: Promise<unknown> | null = null;

  get isChanging(): boolean {
    return this.#change !== null;
  }

  /**
   * Runs a change of the tenant. Until the change ends, no request is decided by the old state. Appends of this replica wait
   * here for the change, and not in the database for the lock of the head.
   */
  async changing<T>(work: () => Promise<T>): Promise<T> {
    const change = work();
    this.#change = change;
    try {
      return await change;
    } finally {
      if (this.#change === change) this.#change = null;
    }
  }

  /** Waits until the current change of the tenant ends, but only for a limited time, because a change can hang. */
  async afterChange(): Promise<void> {
    const timer = new AbortController();
    const late = sleep(mostWait, undefined, { signal: timer.signal });
    await Promise.race([this.#change, late]).catch(() => {});
    timer.abort();
    late.catch(() => {});
  }

  /**
   * Takes the next requests from the queue: at least one, and more up to the limits of entries and bytes. Drops requests
   * whose callers already have a response.
   */
  take(limits: { readonly entries: number; readonly bytes: number }): Waiting[] {
    let [entries, bytes, count] = [0, 0, 0];
    const alive = this.waiting.filter((item) => !item.gone);
    for (const item of alive) {
      entries += item.drafts.length;
      bytes += item.bytes;
      if (count > 0 && (entries > limits.entries || bytes > limits.bytes)) break;
      count++;
    }
    this.waiting = alive.slice(count);
    return alive.slice(0, count);
  }

  putBack(items: readonly Waiting[]): void {
    this.waiting = [...items, ...this.waiting];
  }
}
