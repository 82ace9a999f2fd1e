import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Field, field, part } from './fields.ts';
import type { RangeIndex } from './range-rules.ts';

test('a text that is empty after normalization has no part', () => {
  const { type } = field.text();
  expect(part.wholeText().partsOf({ name: 'f', type, value: ' ' })).toEqual([]);
});

function testRange<Value>(
  name: string,
  index: RangeIndex<Value, true>,
  { type }: Field<Value>,
  values: fc.Arbitrary<Value>,
) {
  const bucketOf = (value: Value) => index.partsOf({ name: 'f', type, value })[0];
  test(`a search by ${name} finds every value of the range`, () => {
    fc.assert(
      fc.property(fc.tuple(values, values, values), (given) => {
        const [from, value, to] = given.toSorted((a, b) => (a < b ? -1 : Number(a > b))) as typeof given;
        const sought = index.soughtBy({ from, to });
        expect(new Set(sought).size).toBe(sought.length);
        expect(sought).toContain(bucketOf(value));
        expect([sought[0], sought.at(-1)]).toEqual([bucketOf(from), bucketOf(to)]);
      }),
    );
  });
}

const dates = (min: string, max: string) =>
  fc.date({ noInvalidDate: true, min: new Date(min), max: new Date(max) });
testRange('years', part.years(), field.date(), dates('1690-01-01', '2500-01-01'));
testRange('months', part.months(), field.date(), dates('1930-01-01', '2010-01-01'));
testRange('days', part.days(), field.date(), dates('1969-01-01', '1971-06-01'));
const small = fc.double({ noNaN: true, min: -500, max: 500 });
testRange('steps of 10', part.steps(10), field.number(), small);
testRange('steps of 10n', part.steps(10n), field.bigint(), fc.bigInt({ min: -4_000n, max: 4_000n }));
testRange(
  'steps of 7 beyond 2^53',
  part.steps(7),
  field.number(),
  fc.integer({ min: 0, max: 400 }).map((n) => 2 ** 56 + n * 16),
);
