import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '@eaas/test-kit/cases';
import { countDistinct } from './distinct.ts';

const bytes = new Uint8Array(78);
const view = new DataView(bytes.buffer);

function bytesOf(number: number): Uint8Array {
  view.setUint32(30, number);
  return bytes;
}

test('a small number of distinct values is counted exactly, even if values are repeated', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 1_000 }), (numbers) => {
      const distinct = countDistinct();
      for (const number of numbers) distinct.add(bytesOf(number));
      expect(distinct).toMatchObject({ count: new Set(numbers).size, exact: true });
    }),
  );
});

test('the count of distinct values is exact up to 4,096', () => {
  const distinct = countDistinct();
  for (let number = 0; number < 8_192; number++) distinct.add(bytesOf(number % 4_096));
  expect(distinct).toMatchObject({ count: 4_096, exact: true });
  distinct.add(bytesOf(4_096));
  expect(distinct.exact).toBe(false);
});

test.each([5_000, 50_000, runs(400_000)])(
  'the estimate for %i distinct values is within 6 percent',
  (most) => {
    const distinct = countDistinct();
    for (let number = 0; number < most; number++) {
      distinct.add(bytesOf(number));
      distinct.add(bytesOf(number >>> 1));
    }
    expect(distinct.exact).toBe(false);
    expect(Math.abs(distinct.count / most - 1)).toBeLessThan(0.06);
  },
);
