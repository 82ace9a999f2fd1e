import { abortable } from '../abortable.ts';
import type { Timer } from '../deadline.ts';
import type { ServiceError } from '../errors.ts';
import { type DerivedDataKey, wipe } from './derive.ts';

/**
 * The hold on one data key, from its request until it is overwritten. The cache holds the data key until `release`. Every
 * call that waits for the data key or uses it is a holder too. The last holder overwrites the data key.
 */
export class Lease {
  /** The data key. Undefined until it arrives. */
  key: DerivedDataKey | undefined;
  /** Whether the cache no longer holds the data key. */
  isReleased = false;
  /** The messages and bytes that the data key has encrypted or that waiting calls will encrypt. */
  messages = 0;
  bytes = 0;
  /** The timer that evicts the data key from the cache. */
  expiry?: Timer;
  #users = 0;
  readonly #arrival: Promise<DerivedDataKey>;
  readonly #onFailure: ((error: ServiceError) => void) | undefined;

  /** Requests a data key. If `onArrival` throws, the arrival fails with its error. */
  constructor(
    request: () => Promise<DerivedDataKey>,
    onArrival: (key: DerivedDataKey) => void,
    onFailure?: (error: ServiceError) => void,
  ) {
    this.#onFailure = onFailure;
    this.#arrival = request().then((key) => {
      this.key = key;
      onArrival(key);
      this.#wipeUnlessHeld();
      return key;
    });
    this.#arrival.catch((error: ServiceError) => this.#abandon(error));
  }

  /** Holds the data key, waits up to `patience` milliseconds for it to arrive, then runs `work` with it. */
  async use<T>(
    work: (key: DerivedDataKey) => T | Promise<T>,
    signal: AbortSignal | undefined,
    patience: number,
  ): Promise<T> {
    this.#users++;
    try {
      return await work(await abortable(this.#arrival, signal, patience));
    } catch (error) {
      if ((error as ServiceError).code === 'timeout') this.#abandon(error as ServiceError);
      throw error;
    } finally {
      this.#users--;
      this.#wipeUnlessHeld();
    }
  }

  /** Ends the cache's hold. The data key is overwritten immediately, or after its last use. */
  release(): void {
    this.isReleased = true;
    clearTimeout(this.expiry);
    this.#wipeUnlessHeld();
  }

  /** Gives up a data key that has not arrived. */
  #abandon(error: ServiceError): void {
    if (this.key || this.isReleased) return;
    this.isReleased = true;
    this.#onFailure?.(error);
  }

  #wipeUnlessHeld(): void {
    if (this.isReleased && this.#users === 0 && this.key) wipe(this.key);
  }
}
