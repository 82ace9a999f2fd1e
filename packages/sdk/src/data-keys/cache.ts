import { later } from '../transport/abortable.ts';
import { closedError, type ServiceError } from '../errors.ts';
import { type DerivedDataKey, wipe } from './derive.ts';
import { Lease } from './lease.ts';

/** The limits of cached data keys: the maximum number, and the maximum age in milliseconds. */
export interface CacheLimits {
  readonly maxEntries: number;
  readonly maxAge: number;
}

export type Dropped = string | true | undefined;

type Request = () => Promise<DerivedDataKey>;

/** Data keys by name. Its names are in the order of their last use, so that the first is the one to remove. */
export class DataKeyCache {
  readonly #limits: CacheLimits;
  readonly #isPinned: ((name: string) => boolean) | undefined;
  readonly #ready = new Map<string, Lease>();
  readonly #arriving = new Map<string, Lease>();
  #last: Lease | undefined;
  #isClosed = false;

  /** Data keys whose names are pinned stay, even if there are more than the limit. */
  constructor(limits: CacheLimits, isPinned?: (name: string) => boolean) {
    this.#limits = limits;
    this.#isPinned = isPinned;
  }

  find(name: string, whateverItsAge = false): Lease | undefined {
    const lease = this.#ready.get(name);
    if (!lease?.key) return undefined;
    if (!whateverItsAge && Date.now() - lease.key.createdAt >= this.#limits.maxAge) {
      this.#remove(name, lease);
      return undefined;
    }
    if (lease !== this.#last) this.#putLast(name, lease);
    return lease;
  }

  arriving(name: string): Lease | undefined {
    return this.#arriving.get(name);
  }

  request(
    name: string,
    subject: string | undefined,
    request: Request,
    onFailure?: (error: ServiceError) => void,
  ): Lease {
    const settled = (): void => {
      if (this.#arriving.get(name) === lease) this.#arriving.delete(name);
    };
    const onArrival = (key: DerivedDataKey): void => {
      settled();
      this.#requireOpen(key);
      // If a call timed out while it waited for this data key, the call has released the lease, and later calls request
      // another data key. The cache then does not keep this one.
      if (!lease.isReleased) this.#keep(name, lease);
    };
    const lease: Lease = new Lease(request, onArrival, (error) => {
      settled();
      onFailure?.(error);
    });
    lease.subject = subject;
    this.#arriving.set(name, lease);
    return lease;
  }

  requestOnce(request: Request): Lease {
    const lease = new Lease(request, (key) => this.#requireOpen(key));
    lease.release();
    return lease;
  }

  /**
   * Removes the data keys of a subject, those of all subjects, or with `true` every one, also those that calls still wait
   * for.
   */
  drop(subject: Dropped): void {
    for (const leases of [this.#ready, this.#arriving]) {
      for (const [name, lease] of leases) {
        const { subject: of } = lease;
        if (subject !== true && (of === undefined || (subject ?? of) !== of)) continue;
        leases.delete(name);
        lease.release();
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const entry of this.#ready) this.#remove(...entry);
    this.#arriving.clear();
  }

  #keep(name: string, lease: Lease): void {
    this.#remove(name, this.#ready.get(name));
    this.#putLast(name, lease);
    lease.expiry = later(this.#limits.maxAge, () => this.#remove(name, lease));
    if (this.#ready.size > this.#limits.maxEntries) this.#removeLeastRecent();
  }

  #removeLeastRecent(): void {
    for (const [name, lease] of this.#ready) if (!this.#isPinned?.(name)) return this.#remove(name, lease);
  }

  #putLast(name: string, lease: Lease): void {
    this.#ready.delete(name);
    this.#ready.set(name, lease);
    this.#last = lease;
  }

  #remove(name: string, lease: Lease | undefined): void {
    if (this.#ready.get(name) === lease) this.#ready.delete(name);
    lease?.release();
  }

  #requireOpen(key: DerivedDataKey): void {
    if (!this.#isClosed) return;
    wipe(key);
    throw closedError();
  }
}
