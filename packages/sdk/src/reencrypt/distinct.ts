const kept = 4_096;

/** Counts what is distinct in constant memory: exactly up to 4,096, and within a few percent beyond. */
export interface Distinct {
  add(bytes: Uint8Array): void;
  readonly count: number;
  readonly exact: boolean;
}

/**
 * Keeps the 4,096 smallest of the hashes (k minimum values): how closely they lie says how many there are. The error is
 * 1.6 % on average, and above 5 % once in a thousand times.
 */
export function countDistinct(): Distinct {
  let smallest = new Set<number>();
  let below = 1;
  const prune = (): void => {
    if (smallest.size <= kept) return;
    const sorted = Array.from(smallest).sort((a, b) => a - b);
    below = sorted[kept] as number;
    smallest = new Set(sorted.slice(0, kept));
  };
  return {
    add(bytes) {
      const hash = fraction(bytes);
      if (hash >= below) return;
      smallest.add(hash);
      if (smallest.size === 2 * kept) prune();
    },
    get count() {
      prune();
      return below === 1 ? smallest.size : Math.round(kept / below);
    },
    get exact() {
      prune();
      return below === 1;
    },
  };
}

/** A fraction from 0 to 1 by 53 bits of a hash: equal bytes have the same, and it resists nobody. */
function fraction(bytes: Uint8Array): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (const byte of bytes) {
    high = Math.imul(high ^ byte, 2654435761);
    low = Math.imul(low ^ byte, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return ((low & 0x1fffff) * 2 ** 32 + (high >>> 0)) / 2 ** 53;
}
