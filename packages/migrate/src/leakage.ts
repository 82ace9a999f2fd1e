// What a reader of the database learns from index columns, measured: how often fingerprints repeat, and how many rows
// a public list of values names by rank matching. Needs no key. `leak` calls it.
import { InputError } from '@eaas/protocol';
import { nearestOf, list, object, requireOptions, text } from '@eaas/protocol/internal';
import { columnsOf, type Run, runnerOf, type SqlDatabase, textIn } from './database.ts';
import { type Dialect, nameIn, statement } from './dialects.ts';

/** A value of a public list, such as a first name. */
export interface PublicValue {
  readonly value: string;
  /** How frequent the value is, in any unit. Without it, the list is in the order of frequency. */
  readonly frequency?: number | undefined;
}

/** Options of `measureLeakage`. All names are those of the database. */
export interface LeakageOptions {
  /** The index columns. Defaults to all that end in `_index`. */
  readonly columns?: readonly string[] | undefined;
  readonly schema?: string | undefined;
  /** Public lists by index column, such as the first names of a country with their frequencies. See `publicList`. */
  readonly lists?: Readonly<Record<string, readonly PublicValue[]>> | undefined;
  /**
   * Plain columns with the true values, by index column. Only for a table of test data: they show how many guesses are
   * right. The values must be written as in the list.
   */
  readonly truth?: Readonly<Record<string, string>> | undefined;
}

/**
 * What rank matching names: it takes the most frequent fingerprint for the most frequent value of the list, the second
 * for the second, and so on.
 */
interface Matching {
  /** The number of fingerprints in rows for which the list has a guess. */
  readonly guessed: number;
  /** How many of the guesses are right, by the option `truth`. */
  readonly right: number | undefined;
}

/** What one index column reveals. */
interface ColumnLeakage {
  readonly column: string;
  /** The number of rows that have a fingerprint. */
  readonly rows: number;
  /** The number of fingerprints, which is more than `rows` if a row has several, as in an index of words. */
  readonly fingerprints: number;
  /** The number of different fingerprints. */
  readonly distinct: number;
  /** The share of the rows that have the most frequent fingerprint, from 0 to 1. */
  readonly topShare: number;
  /** The number of fingerprints that only one row has. */
  readonly unique: number;
  /** What rank matching with the list names. Undefined without a list. */
  readonly matching: Matching | undefined;
}

/** What the index columns of a table reveal to everybody who reads the database. */
export interface LeakageReport {
  readonly table: string;
  readonly rows: number;
  readonly columns: readonly ColumnLeakage[];
}

/**
 * Measures what the index columns of a table reveal to a reader of the database who has no key: how often fingerprints
 * repeat, and how many rows a public list names by rank matching. Reads only index columns, the columns of `truth`, and
 * counts. Throws InputError for unknown columns, and DatabaseError if the database refuses a statement.
 */
export async function measureLeakage(
  database: SqlDatabase,
  table: string,
  options: LeakageOptions = {},
): Promise<LeakageReport> {
  const rules = { columns: list, schema: text, lists: object, truth: object };
  requireOptions<object>(rules, options, 'measureLeakage');
  const { dialect, run } = runnerOf(database, 'measureLeakage');
  const { schema, lists = {}, truth = {} } = options;
  const place = { schema, table };
  const known = await columnsOf(run, dialect, place);
  const columns = options.columns ?? Array.from(known.keys()).filter((name) => name.endsWith('_index'));
  if (columns.length === 0) {
    throw new InputError(
      `no column of \`${table}\` ends in \`_index\`: pass the index columns as \`columns\``,
    );
  }
  for (const name of [lists, truth].flatMap(Object.keys)) {
    if (!columns.includes(name))
      throw new InputError(
        `\`${name}\` is not in \`columns\`, the index columns of \`${table}\` to measure: add it, or name one of ${columns.join(', ')}`,
      );
  }
  for (const name of [...columns, ...Object.values(truth)]) {
    if (known.has(name)) continue;
    const near = nearestOf(known.keys(), name);
    throw new InputError(
      `\`${table}\` has no column \`${name}\`: ` +
        (near === undefined ? 'pass the name that it has in the database' : `did you mean \`${near}\`?`),
    );
  }
  const target = nameIn(dialect, place);
  const [total] = await run(`count the rows of ${target}`, statement`select count(*) as n from ${target}`);
  const measured: ColumnLeakage[] = [];
  for (const column of columns) {
    const { rows, marks } = await marksIn(run, dialect, target, column, truth[column]);
    const values = lists[column];
    measured.push({
      column,
      rows,
      fingerprints: marks.reduce((sum, { count }) => sum + count, 0),
      distinct: marks.length,
      topShare: rows === 0 ? 0 : (marks[0]?.count ?? 0) / rows,
      unique: marks.filter(({ count }) => count === 1).length,
      matching: values && matchRanks(marks, values, truth[column] !== undefined),
    });
  }
  return { table, rows: Number(total?.['n']), columns: measured };
}

/** One fingerprint: how many rows have it, and which true values they have. */
interface Mark {
  count: number;
  readonly values: Map<string, number>;
}

/** Returns the number of rows that have fingerprints, and the fingerprints, the most frequent first. */
async function marksIn(
  run: Run,
  dialect: Dialect,
  target: string,
  column: string,
  truth: string | undefined,
) {
  const mark = dialect.quote(column);
  const value = truth === undefined ? 'null' : dialect.text(dialect.quote(truth));
  const found = await run(
    `count the fingerprints of ${target}`,
    statement`
      select ${dialect.text(mark)} as mark, ${value} as value, count(*) as n from ${target}
      where ${mark} is not null group by ${mark}${truth === undefined ? '' : `, ${dialect.quote(truth)}`}`,
  );
  const marks = new Map<string, Mark>();
  let rows = 0;
  for (const row of found) {
    const count = Number(row['n']);
    rows += count;
    // An index of words or prefixes has several fingerprints in a cell.
    for (const fingerprint of (textIn(row, 'mark') ?? '').split(' ')) {
      const one = marks.get(fingerprint) ?? { count: 0, values: new Map<string, number>() };
      one.count += count;
      const real = textIn(row, 'value');
      if (real !== null) one.values.set(real, (one.values.get(real) ?? 0) + count);
      marks.set(fingerprint, one);
    }
  }
  // Equally frequent fingerprints are in the order of their bytes, which is random.
  const sorted = Array.from(marks).sort(
    ([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1),
  );
  return { rows, marks: sorted.map(([, one]) => one) };
}

function matchRanks(marks: readonly Mark[], values: readonly PublicValue[], hasTruth: boolean): Matching {
  const ranked = values.toSorted((a, b) => (b.frequency ?? 0) - (a.frequency ?? 0));
  const guesses = marks.slice(0, ranked.length);
  const rightOf = ({ values: real }: Mark, rank: number) => real.get(ranked[rank]?.value ?? '') ?? 0;
  return {
    guessed: guesses.reduce((sum, { count }) => sum + count, 0),
    right: hasTruth ? guesses.reduce((sum, mark, rank) => sum + rightOf(mark, rank), 0) : undefined,
  };
}

/**
 * Reads a public list from the text of a file: one value per line, or a value and its frequency, separated by a comma, a
 * semicolon or a tab. Throws InputError if only some lines have a frequency.
 */
export function publicList(file: string): PublicValue[] {
  const lines = file.split(/\r?\n/).filter((line) => line.trim() !== '');
  const values = lines.map((line): PublicValue => {
    const [, value = line, frequency] = /^(.*)[,;\t]\s*(\d+(?:\.\d+)?)\s*$/.exec(line) ?? [];
    return { value: value.trim(), frequency: frequency === undefined ? undefined : Number(frequency) };
  });
  const isCounted = values[0]?.frequency !== undefined;
  const at = values.findIndex(({ frequency }) => (frequency !== undefined) !== isCounted);
  if (at === -1) return values;
  throw new InputError(
    `a list must have a frequency in every line or in none (line ${at + 1} differs from the first): write each line as \`value,frequency\``,
  );
}

/** The report as a table of text, for people. */
export function leakageTable({ table, rows, columns }: LeakageReport): string {
  const share = (part: number | undefined, all: number): string =>
    part === undefined || all === 0 ? '–' : `${((part / all) * 100).toFixed(1)} %`;
  const lines = [
    ['index column', 'different', 'most frequent', 'guessed', 'right'],
    ...columns.map(({ column, distinct, topShare, matching, fingerprints }) => [
      column,
      String(distinct),
      share(topShare, 1),
      share(matching?.guessed, fingerprints),
      share(matching?.right, fingerprints),
    ]),
  ];
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const written = lines.map((line) =>
    line
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [`${table}: ${rows} rows`, ...written].join('\n');
}
