import { describe, expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { hashToGroup, Point, randomScalar, scalars } from './curve.ts';
import { nodeCurve } from './multiply-node.ts';
import { nobleCurve } from './multiply.ts';

const order = scalars.ORDER;
const pointOf = (index: number) => hashToGroup(Uint8Array.of(index));

test('node:crypto and noble return the same points for random scalars', () => {
  for (let index = 0; index < runs(200); index++) {
    const [scalar, point] = [randomScalar(), pointOf(index)];
    const { base, multiply } = nodeCurve.multiplier(scalar);
    expect(multiply(point).equals(point.multiplyUnsafe(scalar))).toBe(true);
    expect(base().equals(Point.BASE.multiplyUnsafe(scalar))).toBe(true);
  }
});

describe.each([nobleCurve, nodeCurve])('the curve engine $name', ({ multiplier, sums, batch }) => {
  test('the engine accepts the smallest scalar, 2, and the largest scalar, n − 2', () => {
    const point = pointOf(1);
    expect(multiplier(2n).multiply(point).equals(point.double())).toBe(true);
    expect(
      multiplier(order - 2n)
        .multiply(point)
        .equals(point.double().negate()),
    ).toBe(true);
    expect(multiplier(2n).base().equals(Point.BASE.double())).toBe(true);
  });

  test.each([0n, 1n, order - 1n, order, order + 2n, -2n])(
    'the engine refuses to multiply by %s',
    (scalar) => {
      expect(() => multiplier(scalar)).toThrow(RangeError);
    },
  );

  test('`sums` multiplies the points of each list by the factors and adds the products', () => {
    const factors = Array.from({ length: batch }, randomScalar);
    const lists = [0, 100].map((start) => factors.map((_, index) => pointOf(start + index)));
    const expected = lists.map((points) =>
      points.reduce((sum, point, at) => sum.add(point.multiplyUnsafe(factors[at] ?? 0n)), Point.ZERO),
    );
    const results = sums(factors, ...lists);
    expect(results.map((sum, at) => sum.equals(expected[at] ?? Point.ZERO))).toEqual([true, true]);
  });
});
