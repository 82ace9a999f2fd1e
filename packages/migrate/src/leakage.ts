// What a reader of the database learns from index columns, measured: how often fingerprints repeat, and how many rows
// a public list of values names by rank matching. Needs no key. `leak` calls it.
import { InputError } from '@eaas/protocol';
import { list, object, requireOptions, text } from '@eaas/protocol/internal';
import { columnsOf, requireColumn, type Run, runnerOf, type SqlDatabase, textIn } from './database.ts';
import { type Dialect, nameIn, statement } from './dialects.ts';

/** Options of `measureLeakage`. All names are those of the database. */
export interface LeakageOptions {
  /** The index columns. Defaults to all that end in `_index`. */
  readonly columns?: readonly string[] | undefined;
  readonly schema?: string | undefined;
  /** Public lists by index column, such as the first names of a country, most frequent first. */
  readonly lists?: Readonly<Record<string, readonly string[]>> | undefined;
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
  /**
   * The number of fingerprints in rows for which the list has a guess, by rank matching: the most frequent fingerprint is taken
   * for the most frequent value, the second for the second, and so on. Undefined without a list.
   */
  readonly guessed: number | undefined;
}

/** What the index columns of a table reveal to everybody who reads the database. */
export interface LeakageReport {
  readonly table: string;
  readonly rows: number;
  readonly columns: readonly ColumnLeakage[];
}

/**
 * Measures what the index columns of a table reveal to a reader of the database who has no key: how often fingerprints
 * repeat, and how many rows a public list names by rank matching. Reads only index columns. Throws InputError for unknown
 * columns, and DatabaseError if the database refuses a statement.
 */
export async function measureLeakage(
  database: SqlDatabase,
  table: string,
  options: LeakageOptions = {},
): Promise<LeakageReport> {
  const rules = { columns: list, schema: text, lists: object };
  requireOptions<object>(rules, options, 'measureLeakage');
  const { dialect, run } = runnerOf(database, 'measureLeakage');
  const { schema, lists = {} } = options;
  const place = { schema, table };
  const known = await columnsOf(run, dialect, place);
  const columns = options.columns ?? Array.from(known.keys()).filter((name) => name.endsWith('_index'));
  if (columns.length === 0) {
    throw new InputError(
      `no column of \`${table}\` ends in \`_index\`: pass the index columns as \`columns\``,
    );
  }
  for (const name of Object.keys(lists)) {
    if (!columns.includes(name)) {
      throw new InputError(
        `\`${name}\` is not in \`columns\`, the index columns of \`${table}\` to measure: add it, or name one of ${columns.join(', ')}`,
      );
    }
  }
  const target = nameIn(dialect, place);
  for (const name of columns) requireColumn(known, name, target);
  const [total] = await run(`count the rows of ${target}`, statement`select count(*) as n from ${target}`);
  const measured: ColumnLeakage[] = [];
  for (const column of columns) {
    const { rows, counts } = await countsIn(run, dialect, target, column);
    const sum = (some: readonly number[]): number => some.reduce((all, count) => all + count, 0);
    const values = lists[column];
    measured.push({
      column,
      rows,
      fingerprints: sum(counts),
      distinct: counts.length,
      topShare: rows === 0 ? 0 : (counts[0] ?? 0) / rows,
      unique: counts.filter((count) => count === 1).length,
      guessed: values && sum(counts.slice(0, values.length)),
    });
  }
  return { table, rows: Number(total?.['n']), columns: measured };
}

/** Returns the number of rows that have fingerprints, and how many rows have each of them, the most frequent first. */
async function countsIn(run: Run, dialect: Dialect, target: string, column: string) {
  const mark = dialect.quote(column);
  const found = await run(
    `count the fingerprints of ${target}`,
    statement`
      select ${dialect.text(mark)} as mark, count(*) as n from ${target} where ${mark} is not null group by ${mark}`,
  );
  const counts = new Map<string, number>();
  let rows = 0;
  for (const row of found) {
    const count = Number(row['n']);
    rows += count;
    // An index of words or prefixes has several fingerprints in a cell.
    for (const fingerprint of (textIn(row, 'mark') ?? '').split(' ')) {
      counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + count);
    }
  }
  return { rows, counts: [...counts.values()].sort((one, other) => other - one) };
}

/** Reads a public list from the text of a file: one value per line. */
export const publicList = (file: string): string[] => file.split('\n').flatMap((line) => line.trim() || []);

/** The report as a table of text, for people. */
export function leakageTable({ table, rows, columns }: LeakageReport): string {
  const share = (part: number | undefined, all: number): string =>
    part === undefined || all === 0 ? '–' : `${((part / all) * 100).toFixed(1)} %`;
  const lines = [
    ['index column', 'different', 'most frequent', 'guessed'],
    ...columns.map(({ column, distinct, topShare, guessed, fingerprints }) => [
      column,
      String(distinct),
      share(topShare, 1),
      share(guessed, fingerprints),
    ]),
  ];
  const longest = Math.max(...lines.map(([name = '']) => name.length));
  const written = lines.map(
    ([name = '', ...cells]) => name.padEnd(longest) + cells.map((cell) => cell.padStart(15)).join(''),
  );
  return [`${table}: ${rows} rows`, ...written].join('\n');
}
