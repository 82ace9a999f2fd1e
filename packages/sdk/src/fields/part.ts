// The parts of a value by which a search can find its row, behind one name.
import { dateRange } from './date-range.ts';
import { days, months, steps, years } from './range-rules.ts';
import { firstCharacters, lastCharacters, prefixes, wholeText, words } from './text-rules.ts';

/**
 * The parts of a value by which a search can find rows, for `searchableBy`: `part.words()`, `part.months()`,
 * `part.lastCharacters(4)`. Each tells a reader of the database something, which its description says.
 *
 * @example
 * ```ts
 * import { defineFields, field, part } from '@eaas/sdk/fields';
 *
 * const ssn = field.text().searchableBy({ last4: part.lastCharacters(4) });
 * const records = defineFields({ patients: { lowEntropy: 'accepted', ssn } }).for(eaas, {
 *   index: process.env.EAAS_INDEX_KEY!,
 * });
 * const terms = await records.where('patients', { ssn: { last4: '6789' } });
 * console.log(terms.ssn_last4_index.length); // 1
 * ```
 */
export const part = {
  /**
   * Finds texts that are equal to the query. By default, a search ignores case and accents. Reveals which rows have the
   * same text. If the field can have only few texts, an attacker can guess them.
   */
  wholeText,
  /**
   * Finds texts by their first `length` characters. Reveals which texts begin with the same characters. If the texts
   * consist of letters and digits, an attacker can guess these characters with at most 36^`length` attempts. A text with
   * fewer than `length` characters has no fingerprint.
   */
  firstCharacters,
  /**
   * Finds texts by their last `length` characters. Reveals which texts end with the same characters. Four digits can be
   * guessed in 10,000 attempts. A text with fewer than `length` characters has no fingerprint.
   */
  lastCharacters,
  /**
   * Finds texts by a prefix of at least `from` and at most `upTo` characters. Reveals how many first characters two texts
   * have in common. An attacker can guess the shortest prefix: a prefix of 3 letters or digits needs at most 46,656
   * guesses.
   */
  prefixes,
  /**
   * Finds texts that contain all words of the query, in any order. Reveals the number of different words in a text, and
   * which rows share a word. An attacker can try a dictionary or a list of names. A word is a sequence of letters and
   * digits, so this index does not work for languages without spaces.
   */
  words,
  /**
   * Finds dates by their year (UTC). Reveals which rows have the same year, and to somebody who sees many searches also
   * the order of the years. For example, dates of birth are in only about 100 different years, so an attacker can try
   * all of them.
   */
  years,
  /**
   * Finds dates by their month (UTC). Reveals which rows have the same month, and to somebody who sees many searches also
   * the order of the months. For example, dates of birth are in only about 1,200 different months, so an attacker can try
   * all of them.
   */
  months,
  /**
   * Finds dates by their day (UTC). Reveals which rows have the same day, and to somebody who sees many searches also
   * the order of the days. For example, dates of birth are on only about 36,500 different days, so an attacker can try
   * all of them.
   */
  days,
  /**
   * Finds dates from a day, up to a day, or between two, such as `{ to: eighteenYearsAgo }`. Searches name whole years in
   * the middle of a range and months at its ends, so any range fits into one statement. Reveals which rows have the same
   * year and the same month, and to somebody who sees many searches also their order. For example, dates of birth are in
   * only about 126 different years, so an attacker can try all of them. If you change `earliest` or `latest`, write every
   * row again.
   */
  dateRange,
  /**
   * Divides numbers into steps of equal size, such as `part.steps(10_000)` for salaries. Reveals which rows are in the same
   * step, and to somebody who sees many searches also the order of the steps. An attacker can try all steps: salaries up
   * to 1,000,000 have only 100 steps of 10,000.
   */
  steps,
};
