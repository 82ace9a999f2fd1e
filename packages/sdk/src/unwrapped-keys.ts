import { abortable } from './abortable.ts';
import { endLife, later, type LiveKey } from './live-key.ts';
import type { Limits } from './options.ts';

interface Entry {
  readonly name: string;
  readonly arriving: Promise<LiveKey>;
  key?: LiveKey;
  /** Calls that wait for it or work with it: it is overwritten when the last is done. */
  users: number;
  evicted?: boolean;
}

/** The data keys that decrypt: unwrapped once however many calls wait, and kept while they are used. */
export interface UnwrappedKeys {
  /** The data key of this name, to be used at once; undefined where it is not in memory. */
  find(name: string): LiveKey | undefined;
  /** Uses the data key of this name; `unwrap` fetches it where it is not in memory. */
  use<T>(
    name: string,
    unwrap: () => Promise<LiveKey>,
    work: (key: LiveKey) => T | Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T>;
  close(): void;
}

export function createUnwrappedKeys({ entries: most, kept }: Limits): UnwrappedKeys {
  // In the order of their use, the latest last.
  const entries = new Map<string, Entry>();

  function add(name: string, unwrap: () => Promise<LiveKey>): Entry {
    const entry: Entry = { name, arriving: unwrap(), users: 0 };
    entries.set(name, entry);
    void arrive(entry);
    const [oldest] = entries.values();
    if (oldest && entries.size > most) evict(oldest);
    return entry;
  }

  async function arrive(entry: Entry): Promise<void> {
    try {
      entry.key = await entry.arriving;
    } catch {
      evict(entry);
    }
    // It may have been evicted while it was on its way.
    if (entry.evicted) evict(entry);
    else later(kept, () => evict(entry));
  }

  function evict(entry: Entry): void {
    entry.evicted = true;
    if (entries.get(entry.name) === entry) entries.delete(entry.name);
    if (entry.users === 0 && entry.key) endLife(entry.key);
  }

  return {
    find(name) {
      const entry = entries.get(name);
      const key = entry?.key;
      if (!entry || !key) return undefined;
      if (Date.now() - key.born >= kept) {
        evict(entry);
        return undefined;
      }
      entries.delete(name);
      entries.set(name, entry);
      return key;
    },
    async use(name, unwrap, work, signal) {
      const entry = entries.get(name) ?? add(name, unwrap);
      entry.users++;
      try {
        return await work(await abortable(entry.arriving, signal));
      } finally {
        entry.users--;
        if (entry.evicted) evict(entry);
      }
    },
    close() {
      for (const entry of entries.values()) evict(entry);
    },
  };
}
