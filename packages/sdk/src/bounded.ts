/** A map that forgets the entries that were set longest ago, while there are too many. Setting one again makes it the last. */
export class Bounded<Name, Value> extends Map<Name, Value> {
  readonly #isOver: (size: number) => boolean;
  readonly #forget: (name: Name, value: Value) => unknown;

  /** `forget` removes an entry, or leaves one that must stay. */
  constructor(
    isOver: (size: number) => boolean,
    forget: (name: Name, value: Value) => unknown = (name) => this.delete(name),
  ) {
    super();
    this.#isOver = isOver;
    this.#forget = forget;
  }

  override set(name: Name, value: Value): this {
    this.delete(name);
    super.set(name, value);
    for (const entry of this.#isOver(this.size) ? this : []) {
      this.#forget(...entry);
      if (!this.#isOver(this.size)) break;
    }
    return this;
  }
}
