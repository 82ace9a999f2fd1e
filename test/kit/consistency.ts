// Whether a proof shows that a log only grew, as RFC 9162 (2.1.4.2) describes it: what a witness checks. It shares no code with
// the log that makes such proofs.
import { createHash } from 'node:crypto';

interface Tree {
  readonly size: number;
  readonly root: Uint8Array;
}

const nodeOf = (left: Uint8Array, right: Uint8Array): Uint8Array =>
  createHash('sha256').update(Uint8Array.of(1)).update(left).update(right).digest();

const isEqual = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Whether the proof shows that a log of `old.size` entries is the beginning of a log of `now.size` entries. */
export function verifyConsistency(old: Tree, now: Tree, proof: readonly Uint8Array[]): boolean {
  if (!Number.isSafeInteger(old.size) || !Number.isSafeInteger(now.size)) return false;
  if (old.size < 0 || old.size > now.size) return false;
  if (old.size === 0) return proof.length === 0;
  if (old.size === now.size) return proof.length === 0 && isEqual(old.root, now.root);
  const isPowerOfTwo = Number.isInteger(Math.log2(old.size));
  const [first, ...siblings] = isPowerOfTwo ? [old.root, ...proof] : proof;
  if (!first) return false;
  // Where the last entry of each is in the level of the tree that comes next.
  let [at, last] = skipWhile([old.size - 1, now.size - 1], (place) => place % 2 === 1);
  let [before, after] = [first, first];
  for (const sibling of siblings) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      before = nodeOf(sibling, before);
      after = nodeOf(sibling, after);
      [at, last] = skipWhile([at, last], (place) => place % 2 === 0 && place !== 0);
    } else after = nodeOf(after, sibling);
    [at, last] = up([at, last]);
  }
  return last === 0 && isEqual(before, old.root) && isEqual(after, now.root);
}

type Places = readonly [at: number, last: number];

const up = ([at, last]: Places): Places => [Math.floor(at / 2), Math.floor(last / 2)];

const skipWhile = (places: Places, isSkipped: (at: number) => boolean): Places =>
  isSkipped(places[0]) ? skipWhile(up(places), isSkipped) : places;
