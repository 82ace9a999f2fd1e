import { InputError } from '@eaas/protocol';

/** A value of a public list, such as a first name. */
export interface PublicValue {
  readonly value: string;
  /** How frequent the value is, in any unit. Without it, the list is in the order of frequency. */
  readonly frequency?: number | undefined;
}

/**
 * What rank matching names: it takes the most frequent fingerprint for the most frequent value of the list, the second
 * for the second, and so on.
 */
export interface Matching {
  /** The number of fingerprints in rows for which the list has a guess. */
  readonly guessed: number;
  /**
   * How many of the guesses are right on average, if the values of the rows are drawn from the list independently.
   * Undefined for a list without frequencies.
   */
  readonly expectedRight: number | undefined;
  /** How many of the guesses are right, by the option `truth`. */
  readonly right: number | undefined;
}

interface Mark {
  readonly count: number;
  readonly values: ReadonlyMap<string, number>;
}

/** Both lists begin with the most frequent. */
export function matchRanks(
  marks: readonly Mark[],
  values: readonly PublicValue[],
  hasTruth: boolean,
): Matching {
  let [guessed, right, all] = [0, 0, 0];
  for (const [rank, { count, values: real }] of marks.entries()) {
    all += count;
    const guess = values[rank];
    if (!guess) continue;
    guessed += count;
    right += real.get(guess.value) ?? 0;
  }
  const expectedRight = modelOf(values, all)?.matching.expectedRight;
  return { guessed, expectedRight, right: hasTruth ? right : undefined };
}

export interface RankModel {
  /** The expected number of rows of each value, the most frequent first. */
  readonly counts: readonly number[];
  readonly matching: Matching;
}

const draws = 50;

/**
 * Draws tables of `rows` rows from the list, and matches ranks in each. The numbers are the same in every run, because
 * the draws begin with a fixed seed.
 */
export function modelOf(values: readonly PublicValue[], rows: number): RankModel | undefined {
  const total = values.reduce((sum, { frequency = Number.NaN }) => sum + frequency, 0);
  if (!(total > 0)) return undefined;
  const means = values.map(({ frequency = 0 }) => (frequency * rows) / total);
  const random = randomOf(1);
  let right = 0;
  let seen = 0;
  for (let draw = 0; draw < draws; draw++) {
    const counts = means.map((mean, at) => ({ at, count: poisson(mean, random), tie: random() }));
    const ranked = counts.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count || a.tie - b.tie);
    for (const [rank, { at, count }] of ranked.entries()) {
      seen += count;
      if (rank === at) right += count;
    }
  }
  const expectedRight = seen === 0 ? 0 : Math.round((right / seen) * rows);
  const counts = means.map(Math.round).filter((count) => count > 0);
  return { counts, matching: { guessed: rows, expectedRight, right: undefined } };
}

/** The generator mulberry32. It must only be the same in every run, not hard to predict. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The rows of one value: a Poisson distribution, for large means a normal one, which then hardly differs. */
function poisson(mean: number, random: () => number): number {
  if (mean > 50) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  const least = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > least; product *= random()) count++;
  return count;
}

/**
 * Reads a public list from the text of a file: one value per line, or a value and its frequency, separated by a comma, a
 * semicolon or a tab. Throws InputError if only some lines have a frequency.
 */
export function publicList(file: string): PublicValue[] {
  const lines = file.split(/\r?\n/).filter((line) => line.trim() !== '');
  const values = lines.map((line): PublicValue => {
    const [, value = line, frequency] = /^(.*)[,;\t]\s*(\d+(?:\.\d+)?)\s*$/.exec(line) ?? [];
    return frequency === undefined
      ? { value: value.trim() }
      : { value: value.trim(), frequency: Number(frequency) };
  });
  const isCounted = values[0]?.frequency !== undefined;
  const at = values.findIndex(({ frequency }) => (frequency !== undefined) !== isCounted);
  if (at === -1) return values;
  throw new InputError(
    `a list must have a frequency in every line or in none (line ${at + 1} differs from the first): write each line as \`value,frequency\``,
  );
}
