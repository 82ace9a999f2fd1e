/**
 * Runs one read at a time, and begins at most one every `interval` milliseconds. Callers that arrive in between share the
 * next read, so nobody gets data that is older than the call.
 */
export class SharedRead<T> {
  readonly #read: () => Promise<T>;
  readonly #interval: number;
  #begunAt = Number.NEGATIVE_INFINITY;
  #running: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(read: () => Promise<T>, interval = 0) {
    this.#read = read;
    this.#interval = interval;
  }

  get isIdle(): boolean {
    return this.#running === null && this.#next === null;
  }

  run(): Promise<T> {
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  async #after(earlier: Promise<T> | null): Promise<T> {
    await earlier?.catch(() => {});
    if (this.#interval > 0) await this.#rest();
    this.#running = this.#next;
    this.#next = null;
    try {
      return await this.#read();
    } finally {
      this.#running = null;
    }
  }

  async #rest(): Promise<void> {
    const left = this.#begunAt + this.#interval - performance.now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    this.#begunAt = performance.now();
  }
}
