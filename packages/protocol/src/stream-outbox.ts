import type { Result } from './stream-chunk.ts';

// Chunks that an asynchronous engine works at: more are no faster, and each is 128 KiB.
const atOnce = 4;

/** A result in its place: done or not, or why there is none. */
interface Place {
  result?: Uint8Array;
  failure?: { readonly reason: unknown };
}

/**
 * Results on their way out, in the order they were begun: one of a synchronous engine, a few of an asynchronous one,
 * which works at them together. So whoever reads slowly makes whoever writes wait.
 */
export class Outbox {
  readonly #send: (result: Uint8Array | undefined) => void;
  readonly #fail: (reason: unknown) => void;
  readonly #places: Place[] = [];
  #limit = 1;
  #wanted = false;
  #ended = false;
  #stopped: { readonly reason: unknown } | undefined;
  #waiting: (() => void) | undefined;
  #settled: Promise<void> = Promise.resolve();

  /** Each wanted result is sent, and undefined when nothing follows; in the place of a failure, that it failed. */
  constructor(send: (result: Uint8Array | undefined) => void, fail: (reason: unknown) => void) {
    this.#send = send;
    this.#fail = fail;
  }

  get stopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Undefined when there is room for one more; else resolves when there is. */
  room(): Promise<void> | undefined {
    if (this.#stopped) throw this.#stopped.reason;
    if (this.#places.length < this.#limit) return undefined;
    return new Promise<void>((resolve) => (this.#waiting = resolve)).then(() => this.room());
  }

  put(result: Result): void {
    const place: Place = {};
    this.#places.push(place);
    const settle = (settled: Place): void => {
      Object.assign(place, settled);
      this.#forward();
    };
    if (result instanceof Promise) {
      this.#limit = atOnce;
      const settling = result.then((done) => settle({ result: done }));
      this.#settled = this.#settled.then(() => settling);
      // Whoever waits for `settled` hears of it too, if anyone does.
      this.#settled.catch(() => undefined);
      settling.catch((reason: unknown) => settle({ failure: { reason } }));
    } else settle({ result });
  }

  /** Resolves when all is done that was put; rejects as the first of them that failed. */
  settled(): Promise<void> {
    return this.#settled;
  }

  /** Takes the place of the next result. */
  putFailure(reason: unknown): void {
    this.#places.push({ failure: { reason } });
    this.#forward();
  }

  /** Asks for one result, as soon as there is one. */
  want(): void {
    this.#wanted = true;
    this.#forward();
  }

  /** Nothing follows. */
  end(): void {
    this.#ended = true;
    this.#forward();
  }

  /** Drops what is left, and throws the reason at whoever waits for room. */
  stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#places.length = 0;
    this.#wake();
  }

  #forward(): void {
    while (this.#wanted && !this.#stopped) {
      const place = this.#places[0];
      const result = place?.result;
      if (place?.failure) return this.#fail(place.failure.reason);
      if (!result && (place || !this.#ended)) return;
      this.#places.shift();
      // An empty one says nothing.
      if (result?.length !== 0) {
        this.#wanted = false;
        this.#send(result);
      }
      this.#wake();
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }
}
