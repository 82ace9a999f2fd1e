// The single flight: many who want the same thing share the reads of it. A tenant is read so (place.ts), and what servers tell
// everybody, like their metrics.

/**
 * Runs one read at a time, and begins at most one every `interval` milliseconds. Those who come in between share the next read,
 * which is told what each of them has asked for. If a read fails, those who wait for the next would wait for the same fault, and
 * get it at once.
 */
export class SharedRead<Found, Asked = never> {
  readonly #read: (asked: readonly Asked[]) => Promise<Found>;
  readonly #interval: number;
  #begunAt = Number.NEGATIVE_INFINITY;
  #latest: Promise<Found> | undefined;
  #isRunning = false;
  #next: { readonly asked: Asked[]; readonly found: Promise<Found> } | undefined;

  constructor(read: (asked: readonly Asked[]) => Promise<Found>, interval = 0) {
    this.#read = read;
    this.#interval = interval;
  }

  /** The result of a read that begins after the call, so nobody gets data that is older than their call. */
  run(asked: readonly Asked[] = []): Promise<Found> {
    this.#next ??= { asked: [], found: this.#after(this.#isRunning ? this.#latest : undefined) };
    this.#next.asked.push(...asked);
    return this.#next.found;
  }

  /** The result of the read that runs, or of the last one if it began within the interval, or else of a new one. */
  recent(): Promise<Found> {
    const isRecent = this.#isRunning || performance.now() - this.#begunAt < this.#interval;
    return isRecent && this.#latest ? this.#latest : this.run();
  }

  async #after(earlier: Promise<Found> | undefined): Promise<Found> {
    const [before] = await Promise.allSettled([earlier]);
    const left = this.#begunAt + this.#interval - performance.now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    this.#begunAt = performance.now();
    const { asked = [], found } = this.#next ?? {};
    this.#latest = found;
    this.#next = undefined;
    this.#isRunning = true;
    try {
      if (before.status === 'rejected') throw before.reason as Error;
      return await this.#read(asked);
    } finally {
      this.#isRunning = false;
      // What nobody asks for again must not stay in memory.
      if (this.#interval === 0) this.#latest = undefined;
    }
  }
}
