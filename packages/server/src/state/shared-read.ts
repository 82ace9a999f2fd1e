/** Each caller gets the result of a read that begins after the call. */
export class SharedRead<T> {
  readonly #read: () => Promise<T>;
  #running: Promise<T> | null = null;
  #next: Promise<T> | null = null;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  get isIdle(): boolean {
    return this.#running === null && this.#next === null;
  }

  run(): Promise<T> {
    this.#next ??= this.#after(this.#running);
    return this.#next;
  }

  async #after(earlier: Promise<T> | null): Promise<T> {
    await earlier?.catch(() => {});
    this.#running = this.#next;
    this.#next = null;
    try {
      return await this.#read();
    } finally {
      this.#running = null;
    }
  }
}
