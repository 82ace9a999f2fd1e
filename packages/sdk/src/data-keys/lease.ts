import type { ServiceError } from '../errors.ts';
import { abortable, type Timer } from '../transport/abortable.ts';
import { type DerivedDataKey, wipe } from './derive.ts';

export class Lease {
  key: DerivedDataKey | undefined;
  isReleased = false;
  /** The number of messages that use this data key. Includes the messages of calls that still wait for the data key. */
  messages = 0;
  bytes = 0;
  /** The person whose data key this is. */
  subject: string | undefined;
  expiry?: Timer;
  #users = 0;
  readonly #arrival: Promise<DerivedDataKey>;
  readonly #onFailure: ((error: ServiceError) => void) | undefined;

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

  async use<T>(
    work: (key: DerivedDataKey) => T | Promise<T>,
    signal: AbortSignal | undefined,
    patience: number,
  ): Promise<T> {
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
