// The single flight: many who want the same thing share the reads of it. A tenant is read so (tenant-cache.ts), whose tokens are
// (caller.ts), and what servers tell everybody, like their metrics.

/** What a read is asked for, and since when the first of those who ask waits, as a value of `performance.now()`. */
interface Next<Asked> {
  readonly asked: Set<Asked>;
  readonly since: number;
}

/**
 * Runs one read at a time, and begins at most one every `interval` milliseconds. Those who come in between share the next read,
 * which is told what they have asked for, or the one after it if that would be more than `most`. If a read fails, those who wait
 * would wait for the same fault, and get it at once.
 */
export class SharedRead<Found, Asked = never> {
  readonly #read: (asked: readonly Asked[], since: number) => Promise<Found>;
  readonly #interval: number;
  readonly #most: number;
  #begunAt = Number.NEGATIVE_INFINITY;
  /** The last read that runs or waits. With an interval it stays when it is over. */
  #latest: Promise<Found> | undefined;
  #isRunning = false;
  #next: Next<Asked> | undefined;

  constructor(
    read: (asked: readonly Asked[], since: number) => Promise<Found>,
    interval = 0,
    most = Infinity,
  ) {
    this.#read = read;
    this.#interval = interval;
    this.#most = most;
  }

  /** The result of a read that begins after the call, so nobody gets data that is older than their call. */
  run(asked: readonly Asked[] = []): Promise<Found> {
    if (!this.#latest || !this.#next || this.#next.asked.size + asked.length > this.#most) {
      const earlier = this.#isRunning || this.#next ? this.#latest : undefined;
      this.#next = { asked: new Set(), since: performance.now() };
      this.#latest = this.#after(earlier, this.#next);
    }
    for (const one of asked) this.#next.asked.add(one);
    return this.#latest;
  }

  /** The result of the read that runs, or of the last one if it began within the interval, or else of a new one. */
  recent(): Promise<Found> {
    const isRecent = this.#isRunning || performance.now() - this.#begunAt < this.#interval;
    return isRecent && this.#latest ? this.#latest : this.run();
  }

  async #after(earlier: Promise<Found> | undefined, own: Next<Asked>): Promise<Found> {
    const [before] = await Promise.allSettled([earlier]);
    const left = this.#begunAt + this.#interval - performance.now();
    if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    this.#begunAt = performance.now();
    if (this.#next === own) this.#next = undefined;
    this.#isRunning = true;
    try {
      if (before.status === 'rejected') throw before.reason as Error;
      return await this.#read([...own.asked], own.since);
    } finally {
      this.#isRunning = false;
      // What nobody asks for again must not stay in memory.
      if (this.#interval === 0 && !this.#next) this.#latest = undefined;
    }
  }
}
