/**
 * A map that forgets what was not used for longest. Two generations: when the young one is full it becomes the old one,
 * and what of the old one is used comes over. So at least half of `most` are kept, and to look costs no more than a look.
 */
export class BoundedMap<Key, Value> {
  readonly #half: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(most: number) {
    this.#half = Math.ceil(most / 2);
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
