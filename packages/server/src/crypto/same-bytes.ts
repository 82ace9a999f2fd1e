import { timingSafeEqual } from 'node:crypto';

/** Compares two byte arrays in constant time. The duration reveals only the lengths of the arrays. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
