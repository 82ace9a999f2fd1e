import type { AuditAction } from '@eaas/protocol/wire';
import type { TenantState } from './tenant-state.ts';

/** An entry before it has its place in the chain. */
export interface Draft {
  readonly action: AuditAction;
  readonly keyId: string | null;
  readonly keyVersion: number | null;
  /** Canonical JSON. */
  readonly metadata: string;
}

/** What became of entries: written, or to be judged again because the state moved, or over the quota. */
export type Outcome = 'written' | 'moved' | 'over_quota';

/** The entries of one request, and whom to tell. */
export interface Waiting {
  /** The state that the judgement rests on. */
  readonly state: TenantState;
  readonly drafts: readonly Draft[];
  readonly actor: string;
  readonly ipAddress: string | null;
  /** The judgement does not hold for an entry of this time or later: the API key has expired then. */
  readonly validUntil: number | null;
  /** Whether it counts against the monthly quota. */
  readonly isEncrypt: boolean;
  settle(outcome: Outcome): void;
  fail(error: unknown): void;
  /** The caller has been answered: nothing may be written for it any more. */
  gone: boolean;
}

/** Who waits to append to one tenant's chain. */
export class Queue {
  waiting: Waiting[] = [];
  draining = false;

  /** Takes those that come next, up to so many entries; drops whose caller has been answered. */
  take(mostEntries: number): Waiting[] {
    let entries = 0;
    let count = 0;
    const alive = this.waiting.filter((item) => !item.gone);
    for (const item of alive) {
      entries += item.drafts.length;
      if (count > 0 && entries > mostEntries) break;
      count++;
    }
    this.waiting = alive.slice(count);
    return alive.slice(0, count);
  }

  putBack(items: readonly Waiting[]): void {
    this.waiting = [...items, ...this.waiting];
  }
}
