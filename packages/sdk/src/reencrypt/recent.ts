const most = 10_000;

export class Recent<T> {
  readonly #entries = new Map<string, Promise<T>>();

  getOrAdd(name: string, create: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(name);
    const promise = known ?? create();
    this.#entries.delete(name);
    this.#entries.set(name, promise);
    if (!known) promise.catch(() => this.#entries.delete(name));
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > most && oldest !== undefined) this.#entries.delete(oldest);
    return promise;
  }
}
