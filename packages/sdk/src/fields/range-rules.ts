// Indexes for ranges: a value falls into a bucket, such as a month, and a search asks for every bucket of its range.
import { indexOf, type PartIndex, type PartOptions, sizeRules } from './part-index.ts';
import { bigintType, dateType, numberType, refuse, type ValueType } from './value-types.ts';

/** The bounds of a search. The search also finds values that are equal to a bound. */
export interface SearchRange<Value> {
  readonly from: Value;
  readonly to: Value;
}

/**
 * An index that divides values into buckets, such as months, and finds the values of a range. A search for a single
 * value finds all values in the bucket of this value.
 */
export type RangeIndex<Value, Column extends string | true> = PartIndex<
  Value,
  Value | SearchRange<Value>,
  false,
  Column
>;

/** Limits the buckets (such as months) of a search. Each bucket adds a fingerprint to the SQL statement. */
const maxBuckets = 1000;

const dates =
  (name: string, bucketOf: (date: Date) => number) =>
  <const Column extends string | true = true>(
    options: PartOptions<Column> = {},
  ): RangeIndex<Date, NoInfer<Column>> =>
    buckets(name, options, dateType, bucketOf);

export const monthOf = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();

export const years = /* @__PURE__ */ dates('part.years', (date) => date.getUTCFullYear());
export const months = /* @__PURE__ */ dates('part.months', monthOf);
export const days = /* @__PURE__ */ dates('part.days', (date) => Math.floor(date.getTime() / 86_400_000));

export function steps<Size extends number | bigint, const Column extends string | true = true>(
  size: Size,
  options: PartOptions<Column> = {},
): RangeIndex<Size extends bigint ? bigint : number, NoInfer<Column>> {
  if (!(size > 0) || size === Infinity) {
    refuse('the argument of `part.steps` must be a positive number or bigint');
  }
  const name = 'part.steps';
  if (typeof size === 'number') {
    return buckets(name, options, numberType, (value) => Math.floor(value / size)) as never;
  }
  const step: bigint = size;
  // Always rounds down. The operator `/` alone would round the quotient of negative bigints toward zero.
  const bucketOf = (value: bigint) => (value - (((value % step) + step) % step)) / step;
  return buckets(name, options, bigintType, bucketOf) as never;
}

/**
 * `bucketOf` must not return a smaller bucket for a larger value. Otherwise, a range would not contain all its values.
 */
function buckets<Value, Column extends string | true>(
  name: string,
  options: PartOptions<Column>,
  type: ValueType<Value>,
  bucketOf: (value: Value) => number | bigint,
): RangeIndex<Value, Column> {
  const checked = (value: Value) => {
    type.encode(value);
    return bucketOf(value);
  };
  return {
    ...indexOf(name, sizeRules, options),
    isList: false,
    partsOf({ value }) {
      const bucket = bucketOf(value);
      return Number.isNaN(bucket) ? [] : [String(bucket)];
    },
    soughtBy(query) {
      const { from, to } = isRange(query) ? query : { from: query, to: query };
      const first = checked(from);
      const last = checked(to);
      if (!(first <= last)) refuse('`from` of a range must not be greater than `to`');
      if (first === last) return [String(first)];
      // Above 2^53, not every integer is a number, so `first + at` can be the same for two values of `at`.
      const found = new Set<string>();
      for (let at = 0; at <= maxBuckets; at++) {
        const bucket = typeof first === 'bigint' ? first + BigInt(at) : first + at;
        if (bucket > last) return [...found];
        found.add(String(bucket));
      }
      return refuse(
        `a range must cover at most ${maxBuckets} buckets: use an index with larger buckets, or search several smaller ranges`,
      );
    },
  };
}

function isRange<Value>(query: Value | SearchRange<Value>): query is SearchRange<Value> {
  if (typeof query !== 'object' || query === null || !('from' in query || 'to' in query)) return false;
  const { from, to } = query as Partial<SearchRange<Value>>;
  const isWhole = from !== undefined && from !== null && to !== undefined && to !== null;
  return isWhole || refuse('a range needs `from` and `to`');
}
