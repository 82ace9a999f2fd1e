import { setTimeout as sleep } from 'node:timers/promises';
import type { Draft } from '@eaas/protocol/service';
import type { TenantState } from './tenant-state.ts';

/**
 * The result of writing a request's audit entries. `moved` means that the tenant has changed, so the request must be
 * decided again.
 */
export type Outcome = 'written' | 'moved' | 'over_quota';

export interface Waiting {
  /** The tenant's data by which the request was decided. */
  readonly state: TenantState;
  readonly drafts: readonly Draft[];
  /** The estimated size of the audit entries in an SQL statement, in bytes. */
  readonly bytes: number;
  readonly actor: string;
  readonly ipAddress: string | null;
  /**
   * The time at which the API key expires. The decision is invalid after this time. Null if the API key never expires.
   */
  readonly validUntil: number | null;
  /** Whether the request counts against the monthly quota. */
  readonly isEncrypt: boolean;
  settle(outcome: Outcome): void;
  fail(error: unknown): void;
  /** Whether the caller has already received a response. If so, no audit entry must be written for the request. */
  gone: boolean;
}

/**
 * The maximum time in milliseconds that requests and appends of a tenant wait while this replica changes the tenant.
 */
const mostWait = 250;

/** The requests of one tenant that wait to append entries to the tenant's audit log. */
export class Queue {
  waiting: Waiting[] = [];
  draining = false;
  #change: Promise<unknown> | null = null;

  get isChanging(): boolean {
    return this.#change !== null;
  }

  /**
   * Runs a change of the tenant. No request is decided by the old data until the change ends. The replica's appends
   * wait for the change in this queue, so that they do not use database connections.
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

  /** Waits until the current change of the tenant ends. The wait is limited, because a change can hang. */
  async afterChange(): Promise<void> {
    const timer = new AbortController();
    const late = sleep(mostWait, undefined, { signal: timer.signal });
    await Promise.race([this.#change, late]).catch(() => {});
    timer.abort();
    late.catch(() => {});
  }

  /**
   * Takes the next requests from the queue: at least one, and more up to the limits of entries and bytes. Drops
   * requests whose callers have already received a response.
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
