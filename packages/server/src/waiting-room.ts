import { Refusal } from './refusal.ts';

/**
 * How many entries wait to be written. Who would fill more than what is left free is turned away at once: one tenant has
 * at most half of the room, two a third each, and there is always some for another.
 */
export class WaitingRoom {
  readonly #size: number;
  readonly #byTenant = new Map<string, number>();
  entries = 0;

  constructor(size: number) {
    this.#size = size;
  }

  enter(tenantId: string, entries: number): void {
    const own = (this.#byTenant.get(tenantId) ?? 0) + entries;
    if (own > this.#size - this.entries) {
      throw new Refusal(
        'unavailable',
        'The service has more requests than it can write down; try again in a moment.',
      );
    }
    this.#byTenant.set(tenantId, own);
    this.entries += entries;
  }

  leave(tenantId: string, entries: number): void {
    const own = (this.#byTenant.get(tenantId) ?? 0) - entries;
    if (own > 0) this.#byTenant.set(tenantId, own);
    else this.#byTenant.delete(tenantId);
    this.entries -= entries;
  }
}
