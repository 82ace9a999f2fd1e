import type { Caller } from '../caller.ts';

const minute = 60_000;

export interface Use {
  readonly api_key_id: string;
  readonly tenant_id: string;
  readonly last_used_at: number;
}

/** Which API keys were used, to the minute, until a job writes it down. */
export class Used {
  readonly #clock: () => number;
  #uses = new Map<string, Use>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  note({ actor, tenantId }: Caller): void {
    const last_used_at = Math.floor(this.#clock() / minute) * minute;
    if (this.#uses.get(actor)?.last_used_at === last_used_at) return;
    this.#uses.set(actor, { api_key_id: actor, tenant_id: tenantId, last_used_at });
  }

  take(): Use[] {
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    return uses;
  }

  /** What could not be written down, for the next time. */
  putBack(uses: readonly Use[]): void {
    for (const use of uses) if (!this.#uses.has(use.api_key_id)) this.#uses.set(use.api_key_id, use);
  }
}
