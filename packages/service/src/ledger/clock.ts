/** Estimates the store's time from what it said last and the machine's monotonic clock, never from its wall clock. */
export class StoreClock {
  #offset = performance.timeOrigin;

  now(): number {
    return Math.floor(performance.now() + this.#offset);
  }

  /** Is told what the store said. `startedAt`: the value of `performance.now()` before it was asked. */
  learn(time: number, startedAt: number): void {
    const [least, most] = [time - performance.now(), time + 1 - startedAt];
    this.#offset = Math.min(Math.max(this.#offset, least), most);
  }
}

/** The time of a store. */
export type Clock = Pick<StoreClock, 'now' | 'learn'>;
