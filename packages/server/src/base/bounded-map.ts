export class Budget {
  readonly #half: number;
  readonly #maps: (() => void)[] = [];
  #spent = 0;

  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  join(startGeneration: () => void): void {
    this.#maps.push(startGeneration);
  }

  spend(cost: number): void {
    if (this.#spent > 0 && this.#spent + cost > this.#half) this.startGeneration();
    this.#spent += cost;
  }

  /**
   * Starts a new generation in all maps that share this budget. Values that were not used since the last start of a
   * generation are removed.
   */
  startGeneration(): void {
    for (const startGeneration of this.#maps) startGeneration();
    this.#spent = 0;
  }

  refund(cost: number): void {
    this.#spent -= cost;
  }
}

/**
 * An approximate LRU cache with two generations of values. When the young generation is full, it replaces the old one.
 */
export class BoundedMap<Key, Value> {
  readonly #budget: Budget;
  readonly #costOf: (value: Value) => number;
  #young = new Map<Key, { readonly value: Value; readonly cost: number }>();
  #old = new Map<Key, { readonly value: Value; readonly cost: number }>();

  constructor(budget: Budget | number, costOf: (value: Value) => number = () => 1) {
    this.#budget = typeof budget === 'number' ? new Budget(budget) : budget;
    this.#costOf = costOf;
    this.#budget.join(() => {
      this.#old = this.#young;
      this.#young = new Map();
    });
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young) return young.value;
    const old = this.#old.get(key);
    if (old) this.set(key, old.value);
    return old?.value;
  }

  set(key: Key, value: Value): void {
    const cost = this.#costOf(value);
    this.#drop(key);
    this.#budget.spend(cost);
    this.#young.set(key, { value, cost });
  }

  delete(key: Key): void {
    this.#drop(key);
    this.#old.delete(key);
  }

  #drop(key: Key): void {
    const young = this.#young.get(key);
    if (!young) return;
    this.#budget.refund(young.cost);
    this.#young.delete(key);
  }
}
