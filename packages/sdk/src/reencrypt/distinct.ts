const kept = 4_096;

/**
 * Counts distinct byte arrays in constant memory. Counts up to 4,096 are exact. Larger counts are estimates of a KMV
 * sketch, with an average error of 1.6 %.
 */
export function countDistinct() {
  let smallest = new Set<number>();
  let below = 1;
  const bound = (): number => {
    if (smallest.size > kept) {
      const sorted = Array.from(smallest).sort((a, b) => a - b);
      below = sorted[kept] as number;
      smallest = new Set(sorted.slice(0, kept));
    }
    return below;
  };
  return {
    add(bytes: Uint8Array): void {
      const hash = cyrb53Fraction(bytes);
      if (hash < below) smallest.add(hash);
      if (smallest.size === 2 * kept) bound();
    },
    get count(): number {
      return bound() === 1 ? smallest.size : Math.round(kept / below);
    },
    get exact(): boolean {
      return bound() === 1;
    },
  };
}

function cyrb53Fraction(bytes: Uint8Array): number {
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
