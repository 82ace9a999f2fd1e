import { setTimeout as sleep } from 'node:timers/promises';
import type { Draft } from '@eaas/protocol/service';
import type { Span } from '@opentelemetry/api';
import type { TenantState } from './tenant-state.ts';

export type Outcome = 'written' | 'moved' | 'over_quota';

export interface Waiting {
  readonly state: TenantState;
  readonly drafts: readonly Draft[];
  readonly bytes: number;
  readonly actor: string;
  readonly ipAddress: string | null;
  readonly validUntil: number | null;
  readonly isEncrypt: boolean;
  readonly span?: Span | undefined;
  settle(outcome: Outcome): void;
  fail(error: unknown): void;
  /**
   * True if the caller already has a response. The queue then drops the request, so that no audit entry contradicts the
   * response.
   */
  gone: boolean;
}

const mostWait = 250;

export class Queue {
  waiting: Waiting[] = [];
  draining = false;
  #change: Promise<unknown> | null = null;

  get isChanging(): boolean {
    return this.#change !== null;
  }

  /** While a change runs, appends wait in this queue and use no database connections. */
  async changing<T>(work: () => Promise<T>): Promise<T> {
    const change = work();
    this.#change = change;
    try {
      return await change;
    } finally {
      if (this.#change === change) this.#change = null;
    }
  }

  /** Waits until the current change ends. The wait has a time limit, because a change can hang. */
  async afterChange(): Promise<void> {
    const timer = new AbortController();
    const late = sleep(mostWait, undefined, { signal: timer.signal });
    await Promise.race([this.#change, late]).catch(() => {});
    timer.abort();
    late.catch(() => {});
  }

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
