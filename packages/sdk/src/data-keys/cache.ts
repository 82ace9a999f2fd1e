import { later } from '../transport/abortable.ts';
import { closedError, type ServiceError } from '../errors.ts';
import { type DerivedDataKey, wipe } from './derive.ts';
import { Lease } from './lease.ts';

/** The limits of cached data keys: the maximum number, and the maximum age in milliseconds. */
export interface CacheLimits {
  readonly maxEntries: number;
  readonly maxAge: number;
}

type Request = () => Promise<DerivedDataKey>;

export class DataKeyCache {
  readonly #limits: CacheLimits;
  readonly #ready = new Map<string, Lease>();
  readonly #arriving = new Map<string, Lease>();
  #uses = 0;
  #isClosed = false;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  find(name: string, whateverItsAge = false): Lease | undefined {
    const lease = this.#ready.get(name);
    if (!lease?.key) return undefined;
    if (!whateverItsAge && Date.now() - lease.key.createdAt >= this.#limits.maxAge) {
      this.#remove(name, lease);
      return undefined;
    }
    lease.lastUse = ++this.#uses;
    return lease;
  }

  arriving(name: string): Lease | undefined {
    return this.#arriving.get(name);
  }

  request(name: string, request: Request, onFailure?: (error: ServiceError) => void): Lease {
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
    this.#arriving.set(name, lease);
    return lease;
  }

  requestOnce(request: Request): Lease {
    const lease = new Lease(request, (key) => this.#requireOpen(key));
    lease.release();
    return lease;
  }

  close(): void {
    this.#isClosed = true;
    for (const entry of this.#ready) this.#remove(...entry);
    this.#arriving.clear();
  }

  #keep(name: string, lease: Lease): void {
    this.#remove(name, this.#ready.get(name));
    lease.lastUse = ++this.#uses;
    this.#ready.set(name, lease);
    lease.expiry = later(this.#limits.maxAge, () => this.#remove(name, lease));
    if (this.#ready.size > this.#limits.maxEntries) this.#removeLeastRecent();
  }

  #removeLeastRecent(): void {
    let [least] = this.#ready;
    for (const entry of this.#ready) if (least && entry[1].lastUse < least[1].lastUse) least = entry;
    if (least) this.#remove(...least);
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
