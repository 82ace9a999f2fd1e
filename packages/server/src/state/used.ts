import type { Caller } from './caller.ts';
import type { Use } from '../store/api-keys.ts';
import type { Clock } from './clock.ts';

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
