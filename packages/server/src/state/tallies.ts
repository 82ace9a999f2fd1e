// What this process counts: entries by their action, the unwraps of the busiest tenant, and the last uses of API keys.
import type { Draft } from '@eaas/protocol/service';
import { type AuditAction, auditActions } from '@eaas/protocol/wire';
import type { Use } from '../store/api-keys.ts';
import type { Caller } from './caller.ts';
import type { Clock } from './clock.ts';

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

const minute = 60_000;

export class Used {
  readonly #clock: Clock;
  #uses = new Map<string, Use>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note({ actor, tenantId }: Caller): void {
    const last_used_at = Math.floor(this.#clock.now() / minute) * minute;
    if (this.#uses.get(actor)?.last_used_at === last_used_at) return;
    this.#uses.set(actor, { api_key_id: actor, tenant_id: tenantId, last_used_at });
  }

  take(): Use[] {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    return uses;
  }

  putBack(uses: readonly Use[]): void {
    for (const use of uses) if (!this.#uses.has(use.api_key_id)) this.#uses.set(use.api_key_id, use);
  }
}
