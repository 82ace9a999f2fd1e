/** Estimates the store's time from what it said last and the machine's monotonic clock, never from its wall clock. */
export class StoreClock {
  #offset = performance.timeOrigin;

  now(): number {
    return Math.floor(performance.now() + this.#offset);
  }

  /** `startedAt`: the value of `performance.now()` before the store was asked. */
  learn(time: number, startedAt: number): void {
    const [least, most] = [time - performance.now(), time + 1 - startedAt];
    this.#offset = Math.min(Math.max(this.#offset, least), most);
  }
}
