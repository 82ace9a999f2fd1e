import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import type { Steps } from '../steps.ts';
import { type Element, elementOf, hashToScalar, Point, prefixed, seedTag, u16 } from './curve.ts';
import type { CurveEngine } from './multiply.ts';

const composite = utf8ToBytes('Composite');
const challenge = utf8ToBytes('Challenge');

interface Statement {
  readonly publicKey: Element;
  /** The blinded elements that the client sent. */
  readonly blinded: readonly Element[];
  /** The elements that the service computed from the blinded ones. */
  readonly evaluated: readonly Element[];
}

/**
 * Combines each list into one element (RFC 9497, ComputeComposites), so that one proof is enough for a request. Yields
 * regularly, so that the caller can pause.
 */
export function* combine(
  { sums, batch }: CurveEngine,
  { publicKey, blinded, evaluated }: Statement,
  ...lists: readonly (readonly Element[])[]
): Steps<Element[]> {
  const seed = sha256(prefixed(publicKey.bytes, seedTag));
  const factorOf = ({ bytes }: Element, index: number): bigint => {
    const pair = prefixed(bytes, evaluated[index]?.bytes ?? bytes);
    return hashToScalar(prefixed(seed), u16(index), pair, composite);
  };
  let totals = lists.map(() => Point.ZERO);
  for (let at = 0; at < blinded.length; at += batch) {
    const factors = blinded.slice(at, at + batch).map((element, index) => factorOf(element, at + index));
    const added = sums(factors, ...lists.map((list) => list.slice(at, at + batch).map(({ point }) => point)));
    totals = totals.map((total, list) => total.add(added[list] ?? Point.ZERO));
    yield;
  }
  return totals.map(elementOf);
}

export function challengeOf(...elements: readonly Element[]): bigint {
  return hashToScalar(prefixed(...elements.map(({ bytes }) => bytes)), challenge);
}
