/** Remembers what was used last: at most so many values, each for at most so long. */
export class Remembered<Value> {
  readonly #values = new Map<string, { readonly value: Value; readonly until: number }>();
  readonly #most: number;
  readonly #milliseconds: number;

  constructor(most: number, milliseconds = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.#milliseconds = milliseconds;
  }

  get(name: string): Value | undefined {
    const known = this.#values.get(name);
    if (!known) return undefined;
    this.#values.delete(name);
    if (known.until < performance.now()) return undefined;
    this.#values.set(name, known);
    return known.value;
  }

  set(name: string, value: Value): void {
    this.#values.delete(name);
    this.#values.set(name, { value, until: performance.now() + this.#milliseconds });
    forgetOldest(this.#values, this.#most);
  }

  delete(name: string): void {
    this.#values.delete(name);
  }
}

/** Lets go of what came first. */
export function forgetOldest(values: Map<string, unknown>, most: number): void {
  for (const oldest of values.keys()) {
    if (values.size <= most) return;
    values.delete(oldest);
  }
}
