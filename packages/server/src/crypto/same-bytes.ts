import { timingSafeEqual } from 'node:crypto';

/** Whether both are the same bytes, in a time that tells nothing but their lengths. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
