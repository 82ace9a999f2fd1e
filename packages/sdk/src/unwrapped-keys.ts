import { abortable } from './abortable.ts';
import { endLife, later, type LiveKey } from './live-key.ts';
import type { Limits } from './options.ts';

interface Entry {
  readonly name: string;
  readonly arriving: Promise<LiveKey>;
  key?: LiveKey;
  /** Calls that wait for it or work with it: it is overwritten when the last is done. */
  users: number;
  evicted: boolean;
}

/** The data keys that decrypt: unwrapped once however many calls wait, and kept while they are used. */
export class UnwrappedKeys {
  /** In the order of their use, the latest last. */
  readonly #entries = new Map<string, Entry>();
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** The data key of this name, to be used at once; undefined where it is not in memory. */
  find(name: string): LiveKey | undefined {
    const entry = this.#entries.get(name);
    const key = entry?.key;
    if (!entry || !key) return undefined;
    if (Date.now() - key.born >= this.#limits.kept) {
      this.#evict(entry);
      return undefined;
    }
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return key;
  }

  /** Uses the data key of this name; `unwrap` fetches it where it is not in memory. */
  async use<T>(
    name: string,
    unwrap: () => Promise<LiveKey>,
    work: (key: LiveKey) => T,
    signal: AbortSignal | undefined,
  ): Promise<Awaited<T>> {
    const entry = this.#entries.get(name) ?? this.#add(name, unwrap);
    entry.users++;
    try {
      return await work(await abortable(entry.arriving, signal));
    } finally {
      entry.users--;
      if (entry.evicted) this.#evict(entry);
    }
  }

  close(): void {
    for (const entry of this.#entries.values()) this.#evict(entry);
  }

  #add(name: string, unwrap: () => Promise<LiveKey>): Entry {
    const entry: Entry = { name, arriving: unwrap(), users: 0, evicted: false };
    this.#entries.set(name, entry);
    entry.arriving.then(
      (key) => {
        entry.key = key;
        // It may have been evicted while it was on its way.
        if (entry.evicted) this.#evict(entry);
        else later(this.#limits.kept, () => this.#evict(entry));
      },
      () => this.#evict(entry),
    );
    const [oldest] = this.#entries.values();
    if (oldest && this.#entries.size > this.#limits.entries) this.#evict(oldest);
    return entry;
  }

  #evict(entry: Entry): void {
    entry.evicted = true;
    if (this.#entries.get(entry.name) === entry) this.#entries.delete(entry.name);
    if (entry.users === 0 && entry.key) endLife(entry.key);
  }
}
