/** For how long a replica believes what it has read, and keeps what it has opened, in milliseconds. */
export const rememberedFor = 600_000;

/** By how many milliseconds a value may go too early, so that the timer fires rarely, and values need not move at each look. */
const step = 1_000;

interface Kept<Value> {
  readonly value: Value;
  readonly until: number;
  /** When it went behind the others, as a value of `performance.now()`. */
  movedAt: number;
  bytes: number;
}

/** Remembers what was used last: at most so many values, each for at most so long, and all together of so many bytes. */
export class Remembered<Value> {
  readonly #kept = new Map<string, Kept<Value>>();
  readonly #most: number;
  readonly #milliseconds: number;
  readonly #mostBytes: number;
  readonly #onEvict: (value: Value) => void;
  #bytes = 0;
  /** When the timer fires, as a value of `performance.now()`. */
  #due = 0;

  /** `onEvict` is told what is remembered no longer. */
  constructor(
    most: number,
    milliseconds = Infinity,
    mostBytes = Infinity,
    onEvict: (value: Value) => void = () => {},
  ) {
    this.#most = most;
    this.#milliseconds = milliseconds;
    this.#mostBytes = mostBytes;
    this.#onEvict = onEvict;
  }

  get size(): number {
    return this.#kept.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(name: string): boolean {
    return this.#kept.has(name);
  }

  get(name: string): Value | undefined {
    const kept = this.#kept.get(name);
    const now = performance.now();
    if (!kept || kept.until <= now) return undefined;
    // What was used last is the last to go.
    if (kept.movedAt + step <= now) {
      kept.movedAt = now;
      this.#kept.delete(name);
      this.#kept.set(name, kept);
    }
    return kept.value;
  }

  values(): Value[] {
    return Array.from(this.#kept.values(), ({ value }) => value);
  }

  set(name: string, value: Value, bytes = 0): void {
    const now = performance.now();
    this.delete(name);
    this.#kept.set(name, { value, until: now + this.#milliseconds, movedAt: now, bytes });
    this.#bytes += bytes;
    this.#evictLeastUsed();
    // The timer of a Worker ends with the request that began it.
    if (this.#milliseconds < Infinity && this.#due <= now) this.#evictExpired();
  }

  /** Says how many bytes a value has now. It is remembered no longer for that. */
  resize(name: string, bytes: number): void {
    const kept = this.#kept.get(name);
    if (!kept) return;
    this.#bytes += bytes - kept.bytes;
    kept.bytes = bytes;
    this.#evictLeastUsed();
  }

  delete(name: string): void {
    const kept = this.#kept.get(name);
    if (!kept) return;
    this.#bytes -= kept.bytes;
    this.#kept.delete(name);
    this.#onEvict(kept.value);
  }

  /** More go at once than must, because a Map in which the first ones were deleted is slow to find the next. */
  #evictLeastUsed(): void {
    if (this.#kept.size <= this.#most && this.#bytes <= this.#mostBytes) return;
    const most = this.#most - Math.floor(this.#most / 8);
    const mostBytes = (this.#mostBytes / 8) * 7;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size === 1 || (this.#kept.size <= most && this.#bytes <= mostBytes)) return;
      this.delete(oldest);
    }
  }

  /** Lets go of what is too old, and comes back when the next one is. */
  #evictExpired(): void {
    const now = performance.now();
    this.#due = Infinity;
    for (const [name, { until }] of this.#kept) {
      if (until <= now + step) this.delete(name);
      else this.#due = Math.min(this.#due, until);
    }
    if (this.#kept.size === 0) this.#due = 0;
    if (this.#due === 0) return;
    const timer: unknown = setTimeout(() => this.#evictExpired(), this.#due - now);
    (timer as { unref?: () => void }).unref?.();
  }
}
