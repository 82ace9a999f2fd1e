// `part.dateRange`: finds dates by the fingerprints of years and months. Only a bound inside a month needs a comparison.
import { isDate, type OptionRules, requireOptions } from '@eaas/protocol/internal';
import { indexOf, type PartIndex, type PartOptions, sizeRules } from './part-index.ts';
import { monthOf } from './range-rules.ts';
import { dateType, refuse } from './value-types.ts';

/** The dates to find with `part.dateRange`: from a date, up to a date, or between two dates. A bound is a match too. */
export type DateBounds =
  | { readonly from: Date; readonly to?: Date | undefined }
  | { readonly from?: Date | undefined; readonly to: Date };

/** Options of `part.dateRange`. */
export interface DateRangeOptions<Column extends string | true> extends PartOptions<Column> {
  /** The first year with fingerprints of its own. All earlier dates share one. Defaults to 1900. */
  readonly earliest?: number | undefined;
  /** The last year with fingerprints of its own. All later dates share one. Defaults to 2100. */
  readonly latest?: number | undefined;
}

const year = (value: unknown) => Number.isInteger(value) || 'an integer';

const dateRangeOptions: OptionRules<DateRangeOptions<string>> = {
  ...sizeRules,
  earliest: year,
  latest: year,
};

/** The years that a search can name, and the months at its two ends, are always fewer than 1,000 buckets. */
const maxYears = 900;

export function dateRange<const Column extends string | true = true>(
  options: DateRangeOptions<Column> = {},
): PartIndex<Date, DateBounds, true, NoInfer<Column>> {
  const index = indexOf('part.dateRange', dateRangeOptions, options);
  const { earliest = 1900, latest = 2100 } = options;
  if (!(latest >= earliest && latest - earliest < maxYears)) {
    refuse(`\`latest\` of \`part.dateRange\` must be from \`earliest\` to ${maxYears} years later`);
  }
  const low = earliest * 12;
  const high = latest * 12 + 11;
  return {
    ...index,
    isList: true,
    isAny: true,
    partsOf({ value }) {
      const month = monthOf(value);
      if (month < low) return ['before'];
      return month > high ? ['after'] : [yearPart(month), monthPart(month)];
    },
    soughtBy(bounds) {
      const { from, to } = requireBounds(bounds);
      const first = from ? monthOf(from) : -Infinity;
      const last = to ? monthOf(to) : Infinity;
      const parts: string[] = [];
      if (first < low) parts.push('before');
      if (last > high) parts.push('after');
      const end = Math.min(last, high);
      for (let month = Math.max(first, low); month <= end;) {
        const isYear = month % 12 === 0 && month + 11 <= end;
        parts.push(isYear ? yearPart(month) : monthPart(month));
        month += isYear ? 12 : 1;
      }
      return parts;
    },
    comparison: {
      isWhole(bounds) {
        const { from, to } = requireBounds(bounds);
        const isEdge = (date: Date) =>
          isMonthStart(date) && monthOf(date) >= low && monthOf(date) <= high + 1;
        return (!from || isEdge(from)) && (!to || isEdge(new Date(to.getTime() + 1)));
      },
      accepts(value, bounds) {
        const { from, to } = requireBounds(bounds);
        return isDate(value) && !(from && value < from) && !(to && value > to);
      },
    },
  };
}

const monthPart = (month: number): string => `month ${month}`;
const yearPart = (month: number): string => `year ${Math.floor(month / 12)}`;

const isMonthStart = (date: Date): boolean => date.getUTCDate() === 1 && date.getTime() % 86_400_000 === 0;

function requireBounds(bounds: unknown): { from: Date | undefined; to: Date | undefined } {
  const aDate = (value: unknown) => isDate(value) || 'a Date';
  const given = bounds as { from?: Date; to?: Date };
  requireOptions<typeof given>({ from: aDate, to: aDate }, given, 'part.dateRange');
  const { from, to } = given;
  const got = isDate(bounds) ? 'a Date' : 'neither';
  if (!from && !to) refuse(`a search by \`part.dateRange\` takes { from }, { to } or both (got ${got})`);
  for (const bound of [from, to]) if (bound) dateType.encode(bound); // Throws for an invalid Date.
  if (from && to && from > to) refuse('`from` of a range must not be greater than `to`');
  return { from, to };
}
