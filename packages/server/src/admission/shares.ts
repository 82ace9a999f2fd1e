import type { EndSignal } from '../base/call-end.ts';
import { Refusal } from '../base/refusal.ts';
import { traced } from '../base/tracing.ts';

export function busy(): Refusal {
  return new Refusal('unavailable', 'The service is busy with other requests. Try again in a moment.');
}

interface Waiter {
  readonly units: number;
  grant(): void;
}

interface Tenant {
  held: number;
  readonly waiters: Set<Waiter>;
}

export interface SharesOptions {
  readonly capacity: number;
  readonly perTenant?: number;
  readonly patience?: number;
}

/**
 * Divides units, such as bytes, among tenants. No tenant holds more than `perTenant` units. A tenant without units can
 * take all free units. Any other tenant can hold at most half of the units that no other tenant holds.
 */
export class Shares {
  readonly #capacity: number;
  readonly #perTenant: number;
  readonly #patience: number;
  /**
   * Waiting tenants get units in the order of this map. A tenant that gets units or gives some back moves to the end of
   * the map.
   */
  readonly #tenants = new Map<string, Tenant>();
  #held = 0;
  #waiting = 0;
  #refused = 0;

  constructor({ capacity, perTenant = capacity, patience = 2_000 }: SharesOptions) {
    this.#capacity = capacity;
    this.#perTenant = perTenant;
    this.#patience = patience;
  }

  get counts(): { readonly held: number; readonly waiting: number; readonly refused: number } {
    return { held: this.#held, waiting: this.#waiting, refused: this.#refused };
  }

  /** Whether a call of another tenant could start if the tenant gave its units back. */
  delaysOthers(tenantId: string): boolean {
    for (const [other, { held, waiters }] of this.#tenants) {
      const [next] = waiters;
      if (other !== tenantId && next && held + next.units <= this.#perTenant) return true;
    }
    return false;
  }

  async take(tenantId: string, units: number, signal?: EndSignal): Promise<() => void> {
    if (signal?.aborted) throw busy();
    const tenant = this.#tenants.get(tenantId) ?? { held: 0, waiters: new Set() };
    this.#tenants.set(tenantId, tenant);
    if (tenant.waiters.size === 0 && this.#fits(tenant, units)) this.#hold(tenant, units);
    else await traced('admission.wait', () => this.#wait(tenantId, tenant, units, signal));
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(tenantId, tenant, units);
      isHeld = false;
    };
  }

  async run<T>(tenantId: string, units: number, work: () => Promise<T>, signal?: EndSignal): Promise<T> {
    const release = await this.take(tenantId, units, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #wait(tenantId: string, tenant: Tenant, units: number, signal: EndSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        tenant.waiters.delete(waiter);
        this.#waiting--;
      };
      const waiter = {
        units,
        grant: () => {
          leave();
          resolve();
        },
      };
      const giveUp = (): void => {
        leave();
        this.#refused++;
        this.#forgetIdle(tenantId, tenant);
        reject(busy());
        // The requests of a tenant get units in order, so the refused request might have delayed a smaller one behind
        // it. `#grant` lets the smaller request start if enough units are free.
        this.#grant();
      };
      const timer = setTimeout(giveUp, this.#patience);
      signal?.addEventListener('abort', giveUp);
      tenant.waiters.add(waiter);
      this.#waiting++;
    });
  }

  #fits({ held }: Tenant, units: number): boolean {
    const free = this.#capacity - this.#held;
    if (units > free || held + units > this.#perTenant) return false;
    return held === 0 || held + units <= (free + held) / 2;
  }

  #hold(tenant: Tenant, units: number): void {
    tenant.held += units;
    this.#held += units;
  }

  #release(tenantId: string, tenant: Tenant, units: number): void {
    tenant.held -= units;
    this.#held -= units;
    if (tenant.waiters.size > 0) this.#moveToEnd(tenantId, tenant);
    this.#forgetIdle(tenantId, tenant);
    this.#grant();
  }

  #forgetIdle(tenantId: string, tenant: Tenant): void {
    if (tenant.held === 0 && tenant.waiters.size === 0) this.#tenants.delete(tenantId);
  }

  /**
   * Gives units to waiting requests. The loop stops when no request waits or no units are free. Otherwise it could
   * visit thousands of tenants, because every unknown API key counts as a tenant.
   */
  #grant(): void {
    // A tenant that gets units moves to the end of the map. This loop reaches it again, so one tenant can get units for
    // several requests.
    for (const [tenantId, tenant] of this.#tenants) {
      if (this.#waiting === 0 || this.#held >= this.#capacity) return;
      const [next] = tenant.waiters;
      if (!next || !this.#fits(tenant, next.units)) continue;
      this.#hold(tenant, next.units);
      next.grant();
      this.#moveToEnd(tenantId, tenant);
    }
  }

  #moveToEnd(tenantId: string, tenant: Tenant): void {
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, tenant);
  }
}
