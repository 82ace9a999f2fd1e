import type { Draft } from '@eaas/protocol/service';
import { type AuditAction, auditActions } from '@eaas/protocol/wire';

const minuteLength = 60_000;
const unwraps: ReadonlySet<AuditAction> = new Set(['key.unwrap', 'decrypt']);

export interface MinuteCount {
  minute: number;
  count: number;
}

/** The count of each tenant is in the tenant's cached data, so that this class needs no memory per tenant. */
export class Tallies {
  readonly byAction = new Map<AuditAction, number>(auditActions.map((action) => [action, 0]));
  #minute = 0;
  #most = 0;
  #mostBefore = 0;

  add(ofTenant: MinuteCount, drafts: readonly Pick<Draft, 'action'>[], time: number): void {
    let unwrapped = 0;
    let end = 0;
    for (let first = drafts[0]; first; first = drafts[end]) {
      const { action } = first;
      const start = end;
      // Counts consecutive entries with the same action in one step, because nearly all batches have only one action.
      while (drafts[end]?.action === action) end++;
      this.byAction.set(action, (this.byAction.get(action) ?? 0) + end - start);
      if (unwraps.has(action)) unwrapped += end - start;
    }
    if (unwrapped > 0) this.#unwrapped(ofTenant, unwrapped, Math.floor(time / minuteLength));
  }

  busiest(time: number): number {
    this.#begin(Math.floor(time / minuteLength));
    return this.#mostBefore;
  }

  #unwrapped(ofTenant: MinuteCount, count: number, minute: number): void {
    this.#begin(minute);
    if (ofTenant.minute !== minute) ofTenant.count = 0;
    ofTenant.minute = minute;
    ofTenant.count += count;
    this.#most = Math.max(this.#most, ofTenant.count);
  }

  #begin(minute: number): void {
    if (minute === this.#minute) return;
    this.#mostBefore = minute === this.#minute + 1 ? this.#most : 0;
    this.#most = 0;
    this.#minute = minute;
  }
}
