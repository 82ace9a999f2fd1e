// Data keys in memory, for as long as calls use them and the limits allow. A cache counts who uses each: itself, and each call that
// encrypts or decrypts with it. When nobody uses it any more, it is overwritten. So a call finishes with an evicted data key.
//
//    encrypt (per partition)                                    decrypt (per wrapped key)
//             │                                                          │
//             ▼                                                          ▼
//       ┌─ cache: LRU, TTL, single-flight ──────────────────────────────────────┐
//       │   request ──► arriving ──► in memory ──────────────────► evicted      │
//       └──────────────────┼─────────────┼─────────────────────────────┼────────┘
//                          ▼             ▼                             ▼
//                       failed        in use by calls ─── last ──►  overwritten
//                                                        call ends
//
// Calls that encrypt share a data key if key, scope, wrap context and subject are equal; calls that decrypt, if wrapped key, key
// version, wrap context, subject and user are. A data key for each value would cost a round trip for each: callers who want
// that pass `fresh: true`.
import { personName } from '@eaas/protocol/internal';
import { Bounded } from '../bounded.ts';
import { abortable, later, type Timer } from '../http/abortable.ts';
import type { Caller } from '../caller.ts';
import { closedError, type ServiceError } from '../errors.ts';
import { type DerivedDataKey, wipe } from './derive.ts';

/** The limits of cached data keys. */
export interface CacheLimits {
  /**
   * The maximum number of data keys that the client keeps, such as one for each subject. It removes the least recently
   * used one, but none for encryption of `prime({ keep: true })`.
   */
  readonly maxEntries: number;
  /** The maximum age in milliseconds. */
  readonly maxAge: number;
}

export type Dropped = string | true | undefined;

type Request = (lease: Lease) => Promise<DerivedDataKey>;
type OnFailure = (error: ServiceError) => void;
/** What waits for a data key. */
export type UnderKey<T> = (key: DerivedDataKey) => T | Promise<T>;

/** What a data key takes in memory: itself about a kilobyte, and its name, which the app can make long. */
const bytesOf = (name: string): number => 1_024 + 2 * name.length;
/** 16 MiB, which is enough for the 10,000 data keys of a server, and in proportion for more. */
const mostBytes = (entries: number): number => Math.max(16 * 2 ** 20, entries * 1_678);

/** Data keys by name. The one whose last use is longest ago is removed first. */
export class DataKeyCache {
  readonly #limits: CacheLimits;
  readonly #ready: Bounded<string, Lease>;
  readonly #arriving = new Map<string, Lease>();
  #last: Lease | undefined;
  #bytes = 0;
  #isClosed = false;

  /** Data keys whose names are pinned stay, even if there are more than the limit. */
  constructor(limits: CacheLimits, isPinned?: (name: string) => boolean) {
    this.#limits = limits;
    const { maxEntries } = limits;
    this.#ready = new Bounded(
      (size) => size > maxEntries || this.#bytes > mostBytes(maxEntries),
      (name, lease) => isPinned?.(name) || this.#remove(name, lease),
    );
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

  request(name: string, subject: string | undefined, request: Request, onFailure?: OnFailure): Lease {
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
    lease.subject = subject && personName(subject);
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
  drop(dropped: Dropped): void {
    const subject = typeof dropped === 'string' ? personName(dropped) : dropped;
    for (const leases of [this.#ready, this.#arriving]) {
      for (const [name, lease] of leases) {
        const { subject: of } = lease;
        if (subject !== true && (of === undefined || (subject ?? of) !== of)) continue;
        if (leases === this.#arriving) leases.delete(name);
        this.#remove(name, lease);
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.drop(true);
  }

  #keep(name: string, lease: Lease): void {
    this.#remove(name, this.#ready.get(name));
    const age = Date.now() - (lease.key?.createdAt ?? 0);
    lease.expiry = later(this.#limits.maxAge - age, () => this.#remove(name, lease));
    this.#bytes += bytesOf(name);
    this.#putLast(name, lease);
  }

  #putLast(name: string, lease: Lease): void {
    this.#ready.set(name, lease);
    this.#last = lease;
  }

  #remove(name: string, lease: Lease | undefined): void {
    if (lease && this.#ready.get(name) === lease) {
      this.#ready.delete(name);
      this.#bytes -= bytesOf(name);
    }
    lease?.release();
  }

  #requireOpen(key: DerivedDataKey): void {
    if (!this.#isClosed) return;
    wipe(key);
    throw closedError();
  }
}

export class Lease {
  key: DerivedDataKey | undefined;
  isReleased = false;
  /** The number of messages that use this data key. Includes the messages of calls that still wait for the data key. */
  messages = 0;
  bytes = 0;
  /** The calls that waited for this data key. */
  readonly callers = new Set<Pick<Caller, 'failure'>>();
  /** The person whose data key this is. */
  subject: string | undefined;
  expiry?: Timer;
  #users = 0;
  readonly #arrival: Promise<DerivedDataKey>;
  readonly #onFailure: OnFailure | undefined;

  constructor(request: Request, onArrival: (key: DerivedDataKey) => void, onFailure?: OnFailure) {
    this.#onFailure = onFailure;
    this.#arrival = request(this).then((key) => {
      this.key = key;
      onArrival(key);
      this.#wipeUnlessHeld();
      return key;
    });
    this.#arrival.catch((error: ServiceError) => this.#abandon(error));
  }

  async use<T>(work: UnderKey<T>, signal: AbortSignal | undefined, patience: number): Promise<T> {
    this.#users++;
    try {
      return await work(await abortable(this.#arrival, signal, patience));
    } catch (error) {
      if ((error as ServiceError | undefined)?.code === 'timeout') this.#abandon(error as ServiceError);
      throw error;
    } finally {
      this.#users--;
      this.#wipeUnlessHeld();
    }
  }

  release(): void {
    this.isReleased = true;
    clearTimeout(this.expiry);
    this.#wipeUnlessHeld();
  }

  #abandon(error: ServiceError): void {
    if (this.key || this.isReleased) return;
    this.isReleased = true;
    this.#onFailure?.(error);
  }

  #wipeUnlessHeld(): void {
    if (this.isReleased && this.#users === 0 && this.key) wipe(this.key);
  }
}
