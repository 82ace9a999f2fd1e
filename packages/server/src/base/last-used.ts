import { LRUCache } from 'lru-cache';

/**
 * A cache of the `most` entries that were used last, each for at most `ttl` milliseconds. Its memory grows with its
 * entries. The option `max` would reserve all of it at once, which costs each server several megabytes, and 20 ms when it
 * starts.
 */
export function lastUsed<Value extends object | string | number>(most: number, ttl = 0) {
  return new LRUCache<string, Value>({ maxSize: most, sizeCalculation: () => 1, ttl, ttlResolution: 0 });
}
