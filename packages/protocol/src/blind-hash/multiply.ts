import { mulAddUnsafe } from '@noble/curves/abstract/curve.js';
import { type CurvePoint, Point, scalars } from './curve.ts';

/** Multiplies points by one secret scalar. */
export interface Multiplier {
  /** Returns the product of the scalar and the generator of the curve. */
  readonly base: () => CurvePoint;
  readonly multiply: (point: CurvePoint) => CurvePoint;
}

/** Multiplies points on P-256. All engines return the same points. */
export interface CurveEngine {
  readonly name: string;
  /** Prepares a secret scalar. Throws RangeError unless the scalar is from 2 to n − 2. */
  readonly multiplier: (scalar: bigint) => Multiplier;
  /**
   * Returns one sum per list: `factors[0]·list[0] + factors[1]·list[1] + …`. Not constant-time, so all arguments must
   * be public.
   */
  readonly sums: (factors: readonly bigint[], ...lists: readonly (readonly CurvePoint[])[]) => CurvePoint[];
  /**
   * The maximum number of points per list in one call of `sums`. Callers can pause only between two calls, so a larger
   * number would block the thread for longer.
   */
  readonly batch: number;
}

/** The curve engine of `@noble/curves`, which runs in every JavaScript runtime. It is not constant-time. */
export const nobleCurve: CurveEngine = {
  name: 'noble',
  multiplier(scalar) {
    requireScalar(scalar);
    return { base: () => Point.BASE.multiply(scalar), multiply: (point) => point.multiply(scalar) };
  },
  sums: (factors, ...lists) => lists.map((points) => mulAddUnsafe(Point, [...points], [...factors])),
  batch: 8,
};

/**
 * Refuses the scalars 0, 1 and n − 1. Multiplying a point by 1 does not hide the point. For 0 and n − 1, the engine of
 * node:crypto would need the x coordinate of the point at infinity, which does not exist.
 */
export function requireScalar(scalar: bigint): void {
  if (scalar > 1n && scalar < scalars.ORDER - 1n) return;
  throw new RangeError(
    'a scalar must be from 2 to n − 2, where n is the order of P-256: draw another scalar',
  );
}
