import { Refusal } from '../refusal.ts';

/** Returns the refusal (503) of work that waited too long for CPU time or for a share of a capacity. */
export function busy(): Refusal {
  return new Refusal('unavailable', 'The service is busy with other requests. Try again in a moment.');
}

/** Releases the units of a capacity that a call took. A second release does nothing. */
export type Release = () => void;

interface Waiter {
  readonly units: number;
  grant(): void;
}

interface Tenant {
  held: number;
  /** The work of one tenant that waits for units of a capacity, in order of arrival. */
  readonly waiters: Set<Waiter>;
}

export interface SharesOptions {
  /** The maximum number of units that all tenants together can hold. */
  readonly capacity: number;
  /** The maximum number of units that one tenant can hold, even if more are free. */
  readonly perTenant?: number;
  /** The maximum time in milliseconds that work waits for units. Work that waits longer is refused. */
  readonly patience?: number;
}

/**
 * Divides a capacity, counted in units, among tenants. A tenant without units can take any number of free units. A
 * tenant with units can take up to half of the units that the other tenants leave free. All other work waits in the
 * tenant's queue. Released units go to the waiting tenants one after another.
 */
export class Shares {
  readonly #capacity: number;
  readonly #perTenant: number;
  readonly #patience: number;
  /** The tenants that hold units or wait for units. The first tenant is the one that was served least recently. */
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

  /**
   * Waits until the tenant can take the requested units, and takes them. Throws 503 if the wait is too long or the
   * signal is aborted.
   */
  async take(tenantId: string, units: number, signal?: AbortSignal): Promise<Release> {
    if (signal?.aborted) throw busy();
    const tenant = this.#tenants.get(tenantId) ?? { held: 0, waiters: new Set() };
    this.#tenants.set(tenantId, tenant);
    if (tenant.waiters.size === 0 && this.#fits(tenant, units)) this.#hold(tenant, units);
    else await this.#wait(tenantId, tenant, units, signal);
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(tenantId, tenant, units);
      isHeld = false;
    };
  }

  async run<T>(tenantId: string, units: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.take(tenantId, units, signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #wait(tenantId: string, tenant: Tenant, units: number, signal: AbortSignal | undefined): Promise<void> {
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
        // The work that was removed from the queue was perhaps too large for the free units. Later work of the same
        // tenant might fit, so the queue is checked.
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
    this.#forgetIdle(tenantId, tenant);
    this.#grant();
  }

  #forgetIdle(tenantId: string, tenant: Tenant): void {
    if (tenant.held === 0 && tenant.waiters.size === 0) this.#tenants.delete(tenantId);
  }

  /** Serves the waiting tenants in rounds, one piece of work per tenant, until no more work fits into the free units. */
  #grant(): void {
    for (let served = this.#waiting > 0; served;) {
      served = false;
      for (const [tenantId, tenant] of Array.from(this.#tenants)) {
        const [next] = tenant.waiters;
        if (!next || !this.#fits(tenant, next.units)) continue;
        this.#hold(tenant, next.units);
        next.grant();
        this.#tenants.delete(tenantId);
        this.#tenants.set(tenantId, tenant);
        served = true;
      }
    }
  }
}
