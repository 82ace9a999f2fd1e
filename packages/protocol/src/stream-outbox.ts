import type { Result } from './stream-chunk.ts';

// Chunks that an asynchronous engine works at: more are no faster, and each is 128 KiB.
const atOnce = 4;

/**
 * Results on their way out, in the order they were begun: one of a synchronous engine, a few of an asynchronous one, which
 * works at them together. So whoever reads slowly makes whoever writes wait.
 */
export class Outbox {
  readonly #results: Result[] = [];
  #limit = 1;
  #ended = false;
  #stopped: { readonly reason: unknown } | undefined;
  #changed: (() => void)[] = [];

  get stopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Waits until there is room for one more. */
  async room(): Promise<void> {
    while (this.#results.length >= this.#limit && !this.#stopped) await this.#change();
    if (this.#stopped) throw this.#stopped.reason;
  }

  put(result: Result): void {
    if (result instanceof Promise) {
      this.#limit = atOnce;
      // Whoever takes it hears of its failure; it may fail before, or never be taken.
      result.catch(() => undefined);
    }
    this.#results.push(result);
    this.#notify();
  }

  /** The next result as soon as there is one; undefined after the last. */
  async take(): Promise<Uint8Array | undefined> {
    while (this.#results.length === 0 && !this.#ended && !this.#stopped) await this.#change();
    if (this.#stopped) throw this.#stopped.reason;
    const result = await this.#results[0];
    if (this.#stopped) throw this.#stopped.reason;
    this.#results.shift();
    this.#notify();
    return result;
  }

  /** Nothing follows. */
  end(): void {
    this.#ended = true;
    this.#notify();
  }

  /** Drops what is left, and throws the reason at whoever waits or comes. */
  stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#results.length = 0;
    this.#notify();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#changed.push(resolve));
  }

  #notify(): void {
    for (const resolve of this.#changed.splice(0)) resolve();
  }
}
