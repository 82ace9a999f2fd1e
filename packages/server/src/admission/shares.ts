import { type EndSignal, WaitingRoom } from '../base/waiting-room.ts';
import { Refusal } from '../base/refusal.ts';
import { traced } from '../base/tracing.ts';
import { timeLimit } from '../base/time-limit.ts';

export function busy(): Refusal {
  return new Refusal('unavailable', 'The service is busy with other requests. Try again in a moment.');
}

/** How long a request waits for its units, in milliseconds. */
const patience = 2_000;

interface Tenant {
  held: number;
  /** The requests that wait, each for a number of units. */
  room?: WaitingRoom<number>;
}

export interface SharesOptions {
  readonly capacity: number;
  readonly perTenant?: number;
}

/**
 * Divides units, such as bytes, among tenants. No tenant holds more than `perTenant` units. A tenant without units can
 * take all free units. Any other tenant can hold at most half of the units that no other tenant holds.
 */
export class Shares {
  readonly #capacity: number;
  readonly #perTenant: number;
  /**
   * Waiting tenants get units in the order of this map. A tenant that gets units or gives some back moves to the end of
   * the map.
   */
  readonly #tenants = new Map<string, Tenant>();
  #held = 0;
  #waiting = 0;
  #refused = 0;

  constructor({ capacity, perTenant = capacity }: SharesOptions) {
    this.#capacity = capacity;
    this.#perTenant = perTenant;
  }

  get counts(): { readonly held: number; readonly waiting: number; readonly refused: number } {
    return { held: this.#held, waiting: this.#waiting, refused: this.#refused };
  }

  /** Whether a call of another tenant could start if the tenant gave its units back. */
  delaysOthers(tenantId: string): boolean {
    for (const [other, { held, room }] of this.#tenants) {
      if (other !== tenantId && room?.first && held + room.first.wish <= this.#perTenant) return true;
    }
    return false;
  }

  /** Takes units, and returns the function that gives them back. */
  async take(tenantId: string, units: number, signal?: EndSignal): Promise<() => void> {
    const taken = this.#take(tenantId, units, signal);
    const tenant = taken instanceof Promise ? await taken : taken;
    let isHeld = true;
    return () => {
      if (isHeld) this.#release(tenantId, tenant, units);
      isHeld = false;
    };
  }

  /** Holds units while `work` runs. */
  async run<T>(tenantId: string, units: number, work: () => Promise<T>, signal?: EndSignal): Promise<T> {
    const taken = this.#take(tenantId, units, signal);
    const tenant = taken instanceof Promise ? await taken : taken;
    try {
      return await work();
    } finally {
      this.#release(tenantId, tenant, units);
    }
  }

  #take(tenantId: string, units: number, signal: EndSignal | undefined): Tenant | Promise<Tenant> {
    if (signal?.aborted) throw busy();
    const tenant = this.#tenants.get(tenantId) ?? { held: 0 };
    this.#tenants.set(tenantId, tenant);
    if (tenant.room?.first || !this.#fits(tenant, units)) {
      return traced('admission.wait', () => this.#wait(tenantId, tenant, units, signal));
    }
    this.#hold(tenant, units);
    return tenant;
  }

  async #wait(
    tenantId: string,
    tenant: Tenant,
    units: number,
    signal: EndSignal | undefined,
  ): Promise<Tenant> {
    const giveUp = (): Refusal => {
      this.#refused++;
      return busy();
    };
    const afterwards = (hasGivenUp: boolean): void => {
      this.#waiting--;
      if (!hasGivenUp) return;
      this.#forgetIdle(tenantId, tenant);
      // The requests of a tenant get units in order, so the refused request might have delayed a smaller one behind it.
      // `#grant` lets the smaller request start if enough units are free.
      this.#grant();
    };
    this.#waiting++;
    tenant.room ??= new WaitingRoom();
    await tenant.room.wait(units, { milliseconds: timeLimit(patience), signal, giveUp, afterwards });
    return tenant;
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
    if (tenant.room?.first) this.#moveToEnd(tenantId, tenant);
    this.#forgetIdle(tenantId, tenant);
    this.#grant();
  }

  #forgetIdle(tenantId: string, tenant: Tenant): void {
    if (tenant.held === 0 && !tenant.room?.first) this.#tenants.delete(tenantId);
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
      const first = tenant.room?.first;
      if (!first || !this.#fits(tenant, first.wish)) continue;
      this.#hold(tenant, first.wish);
      first.settle();
      this.#moveToEnd(tenantId, tenant);
    }
  }

  #moveToEnd(tenantId: string, tenant: Tenant): void {
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, tenant);
  }
}
