import { abortable } from '../abortable.ts';
import type { Timer } from '../deadline.ts';
import type { ServiceError } from '../errors.ts';
import { type DerivedDataKey, wipe } from './derive.ts';

/**
 * Counts the holders of a data key, from the request for the data key until it is overwritten. The cache is a holder
 * until `release`. Each call that waits for the data key or uses it is also a holder. When the last holder has ended,
 * the data key is overwritten.
 */
export class Lease {
  key: DerivedDataKey | undefined;
  isReleased = false;
  /** The number of messages that the data key has encrypted or that waiting calls will encrypt with it. */
  messages = 0;
  bytes = 0;
  /** The number of the cache's use that last found this data key. A larger number is a later use. */
  lastUse = 0;
  expiry?: Timer;
  #users = 0;
  readonly #arrival: Promise<DerivedDataKey>;
  readonly #onFailure: ((error: ServiceError) => void) | undefined;

  /** Requests a data key. If `onArrival` throws, all waiting calls fail with its error. */
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

  /**
   * Waits up to `patience` milliseconds for the data key, then runs `work` with it. Keeps the data key until `work` ends.
   */
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
