import { type HeldKey, hold, letGo, useHeld } from './held-key.ts';
import { later, type LiveKey } from './live-key.ts';
import type { Limits } from './options.ts';

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

export function createUnwrappedKeys({ entries: most, kept, patience }: Limits): UnwrappedKeys {
  // In the order of their use, the latest last.
  const entries = new Map<string, HeldKey>();
  let latest: HeldKey | undefined;

  function add(name: string, unwrap: () => Promise<LiveKey>): HeldKey {
    const forget = (): void => evict(name, held);
    const held = hold(unwrap(), () => (held.timer = later(kept, forget)), forget);
    entries.set(name, (latest = held));
    const [oldest] = entries;
    if (oldest && entries.size > most) evict(...oldest);
    return held;
  }

  function evict(name: string, held: HeldKey): void {
    if (entries.get(name) === held) entries.delete(name);
    letGo(held);
  }

  return {
    find(name) {
      const held = entries.get(name);
      const key = held?.key;
      if (!held || !key) return undefined;
      if (Date.now() - key.born >= kept) {
        evict(name, held);
        return undefined;
      }
      if (held !== latest) {
        entries.delete(name);
        entries.set(name, (latest = held));
      }
      return key;
    },
    use: (name, unwrap, work, signal) =>
      useHeld(entries.get(name) ?? add(name, unwrap), work, signal, patience),
    close() {
      for (const entry of entries) evict(...entry);
    },
  };
}
