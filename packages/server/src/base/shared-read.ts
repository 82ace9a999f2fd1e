// The one single-flight of the server: concurrent callers share the reads of the same thing.

/**
 * Runs one read at a time, and begins at most one every `interval` milliseconds. Callers that arrive in between share the
 * next read.
 */
export class SharedRead<T> {
  readonly #read: () => Promise<T>;
  readonly #interval: number;
  #begunAt = Number.NEGATIVE_INFINITY;
  #latest: Promise<T> | null = null;
  #isRunning = false;
  #next: Promise<T> | null = null;

  constructor(read: () => Promise<T>, interval = 0) {
    this.#read = read;
    this.#interval = interval;
  }

  /** The result of a read that begins after the call, so nobody gets data that is older than their call. */
  run(): Promise<T> {
    this.#next ??= this.#after(this.#isRunning ? this.#latest : null);
    return this.#next;
  }

  /** The result of the read that runs, or of the last one if it began within the interval, or else of a new one. */
  recent(): Promise<T> {
    const isRecent = this.#isRunning || performance.now() - this.#begunAt < this.#interval;
    return isRecent && this.#latest ? this.#latest : this.run();
  }

  async #after(earlier: Promise<T> | null): Promise<T> {
    await earlier?.catch(() => {});
    const left = this.#begunAt + this.#interval - performance.now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    this.#begunAt = performance.now();
    this.#latest = this.#next;
    this.#next = null;
    this.#isRunning = true;
    try {
      return await this.#read();
    } finally {
      this.#isRunning = false;
    }
  }
}
