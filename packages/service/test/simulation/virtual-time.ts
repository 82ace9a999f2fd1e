// Virtual time: while it is installed, whatever waits is an event of one queue, and the order of events depends on nothing but
// when they were asked for. So the same run happens again.

interface Event {
  readonly at: number;
  readonly run: () => void;
}

const realTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

export class VirtualTime {
  /** Milliseconds since the start: what `performance.now()` says. */
  now = 0;
  /** The last one is the next. */
  readonly #events: Event[] = [];
  #held = 0;

  in(milliseconds: number, run: () => void): Event {
    const event = { at: this.now + Math.max(0, milliseconds), run };
    const place = this.#events.findLastIndex(({ at }) => at > event.at);
    this.#events.splice(place + 1, 0, event);
    return event;
  }

  cancel(event: unknown): void {
    const place = this.#events.indexOf(event as Event);
    if (place >= 0) this.#events.splice(place, 1);
  }

  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.in(milliseconds, resolve));
  }

  /** Lets nothing happen until something has ended that knows nothing of virtual time. */
  hold<T>(work: Promise<T>): Promise<T> {
    this.#held++;
    return work.finally(() => this.#held--);
  }

  /** Lets events happen one by one. What one starts has ended, or waits for another, before the next. */
  async runUntil(isOver: () => boolean): Promise<void> {
    for (;;) {
      do await realTurn();
      while (this.#held > 0);
      if (isOver()) return;
      const event = this.#events.pop();
      if (!event) throw new Error('nothing is left that could happen');
      this.now = event.at;
      event.run();
    }
  }

  /** Takes the place of timers and clocks. Returns what puts them back. */
  install(timeOrigin: number): () => void {
    const { setTimeout, clearTimeout } = globalThis;
    const set = (run: () => void, milliseconds = 0) =>
      Object.assign(this.in(milliseconds, run), { unref() {} });
    Object.assign(globalThis, { setTimeout: set, clearTimeout: (event: unknown) => this.cancel(event) });
    const own = { now: () => this.now, timeOrigin };
    for (const [name, value] of Object.entries(own)) {
      Object.defineProperty(performance, name, { value, configurable: true });
    }
    return () => {
      Object.assign(globalThis, { setTimeout, clearTimeout });
      for (const name of Object.keys(own)) Reflect.deleteProperty(performance, name);
    };
  }
}
