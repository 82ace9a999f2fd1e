// What a reader of the database learns from index columns, measured: how often fingerprints repeat, and how many rows
// a public list of values names by rank matching. Needs no key.
import { InputError } from '@eaas/protocol';
import { nearestOf } from '@eaas/protocol/internal';
import { list, object, requireOptions, signal, text } from '@eaas/protocol/internal-options';
import { aborted } from '../transport/abortable.ts';
import {
  columnsOf,
  type Run,
  runnerOf,
  type SqlDatabase,
  type SqlTemplateDatabase,
  textIn,
} from './database.ts';
import { type Dialect, nameIn, statement } from './dialects.ts';
import { type Matching, matchRanks, modelOf, type PublicValue, type RankModel } from './rank-matching.ts';

/** Options of `measureLeakage`. All names are those of the database. */
export interface LeakageOptions {
  /** The index columns, such as those of `indexColumns(fields, 'patients')`. Defaults to all that end in `_index`. */
  readonly columns?: readonly string[] | undefined;
  readonly schema?: string | undefined;
  /** Public lists by index column, such as the first names of a country with their frequencies. See `publicList`. */
  readonly lists?: Readonly<Record<string, readonly PublicValue[]>> | undefined;
  /**
   * Plain columns with the true values, by index column. Only for a table of test data: they show how many guesses are
   * right. The values must be written as in the list.
   */
  readonly truth?: Readonly<Record<string, string>> | undefined;
  /**
   * A coarser index, by index column: a function from a value of the list to a larger group, such as its year. Needs
   * `truth` for the column, or a list with frequencies.
   */
  readonly coarser?: Readonly<Record<string, (value: string) => string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How often the values of a column repeat. */
export interface Repetition {
  /** The number of different fingerprints. */
  readonly distinct: number;
  /** The share of the rows that have the most frequent fingerprint, from 0 to 1. */
  readonly topShare: number;
  /** The number of rows whose fingerprint no other row has. */
  readonly unique: number;
}

/** What an index would reveal if its groups were larger. */
export interface CoarserLeakage extends Repetition {
  /** `measured` from the true values, or `modelled` from the list. */
  readonly source: 'measured' | 'modelled';
  readonly matching: Matching | undefined;
}

/** What one index column reveals. */
export interface ColumnLeakage extends Repetition {
  readonly column: string;
  /** The number of rows that have a fingerprint. */
  readonly rows: number;
  /** The number of fingerprints, which is more than `rows` if a row has several, as in an index of words. */
  readonly fingerprints: number;
  /** What rank matching with the list names. Undefined without a list. */
  readonly matching: Matching | undefined;
  readonly coarser: CoarserLeakage | undefined;
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
  database: SqlDatabase | SqlTemplateDatabase,
  table: string,
  options: LeakageOptions = {},
): Promise<LeakageReport> {
  const rules = { columns: list, schema: text, lists: object, truth: object, coarser: object, signal };
  requireOptions<object>(rules, options, 'measureLeakage');
  const { dialect, run } = runnerOf(database, 'measureLeakage');
  const { schema, lists = {}, truth = {}, coarser = {} } = options;
  const place = { schema, table };
  const known = await columnsOf(run, dialect, place);
  const columns = options.columns ?? Array.from(known.keys()).filter((name) => name.endsWith('_index'));
  if (columns.length === 0) {
    throw new InputError(
      `no column of \`${table}\` ends in \`_index\`: pass the index columns as \`columns\``,
    );
  }
  for (const name of [lists, truth, coarser].flatMap(Object.keys)) {
    if (!columns.includes(name))
      throw new InputError(
        `\`${name}\` is not in \`columns\`, the index columns of \`${table}\` to measure: add it, or name one of ${columns.join(', ')}`,
      );
  }
  for (const name of Object.keys(coarser)) {
    if (truth[name] === undefined && !lists[name]?.some(({ frequency = 0 }) => frequency > 0))
      throw new InputError(
        `\`coarser\` of \`${name}\` needs the values: pass a list with frequencies in \`lists\`, or a ` +
          `column of \`${table}\` with the true values in \`truth\``,
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
    if (options.signal?.aborted) throw aborted();
    const groups = await groupsIn(run, dialect, target, column, truth[column]);
    measured.push(leakageOf(column, groups, lists[column], truth[column] !== undefined, coarser[column]));
  }
  return { table, rows: Number(total?.['n']), columns: measured };
}

/** One fingerprint: how many rows have it, and which true values they have. */
interface Group {
  count: number;
  readonly values: Map<string, number>;
}

interface Groups {
  readonly rows: number;
  readonly marks: readonly Group[];
}

async function groupsIn(
  run: Run,
  dialect: Dialect,
  target: string,
  column: string,
  truth: string | undefined,
): Promise<Groups> {
  const [mark, value] = [
    dialect.quote(column),
    truth === undefined ? 'null' : dialect.text(dialect.quote(truth)),
  ];
  const found = await run(
    `count the fingerprints of ${target}`,
    statement`
      select ${dialect.text(mark)} as mark, ${value} as value, count(*) as n from ${target}
      where ${mark} is not null group by ${mark}${truth === undefined ? '' : `, ${dialect.quote(truth)}`}`,
  );
  const groups = new Map<string, Group>();
  let rows = 0;
  for (const row of found) {
    const count = Number(row['n']);
    rows += count;
    // An index of words or prefixes has several fingerprints in a cell.
    for (const fingerprint of (textIn(row, 'mark') ?? '').split(' ')) {
      const group = groups.get(fingerprint) ?? { count: 0, values: new Map<string, number>() };
      group.count += count;
      const real = textIn(row, 'value');
      if (real !== null) group.values.set(real, (group.values.get(real) ?? 0) + count);
      groups.set(fingerprint, group);
    }
  }
  // Equally frequent fingerprints are in the order of their bytes, which is random.
  const marks = Array.from(groups).sort(
    ([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1),
  );
  return { rows, marks: marks.map(([, group]) => group) };
}

function leakageOf(
  column: string,
  { rows, marks }: Groups,
  values: readonly PublicValue[] | undefined,
  hasTruth: boolean,
  coarsen: ((value: string) => string) | undefined,
): ColumnLeakage {
  const ranked = values && [...values].sort((a, b) => (b.frequency ?? 0) - (a.frequency ?? 0));
  const fingerprints = marks.reduce((sum, { count }) => sum + count, 0);
  return {
    column,
    rows,
    fingerprints,
    ...repetitionOf(marks, rows),
    matching: ranked && matchRanks(marks, ranked, hasTruth),
    coarser: coarsen && coarserOf(marks, rows, ranked, hasTruth, coarsen),
  };
}

function repetitionOf(marks: readonly { readonly count: number }[], rows: number): Repetition {
  return {
    distinct: marks.length,
    topShare: rows === 0 ? 0 : (marks[0]?.count ?? 0) / rows,
    unique: marks.filter(({ count }) => count === 1).length,
  };
}

function coarserOf(
  marks: readonly Group[],
  rows: number,
  values: readonly PublicValue[] | undefined,
  hasTruth: boolean,
  coarsen: (value: string) => string,
): CoarserLeakage | undefined {
  const coarse = values && merged(values, coarsen);
  if (hasTruth) {
    const groups = new Map<string, Group>();
    for (const [value, count] of marks.flatMap((mark) => [...mark.values])) {
      const name = coarsen(value);
      const group = groups.get(name) ?? { count: 0, values: new Map<string, number>() };
      group.count += count;
      groups.set(name, group);
      group.values.set(name, group.count);
    }
    const sorted = Array.from(groups.values()).sort((a, b) => b.count - a.count);
    return {
      source: 'measured',
      ...repetitionOf(sorted, rows),
      matching: coarse && matchRanks(sorted, coarse, true),
    };
  }
  const model: RankModel | undefined = coarse && modelOf(coarse, rows);
  return (
    model && {
      source: 'modelled',
      ...repetitionOf(
        model.counts.map((count) => ({ count })),
        rows,
      ),
      matching: model.matching,
    }
  );
}

function merged(values: readonly PublicValue[], coarsen: (value: string) => string): PublicValue[] {
  const sums = new Map<string, number>();
  const isCounted = values.every(({ frequency }) => frequency !== undefined);
  for (const { value, frequency = 1 } of values) {
    const name = coarsen(value);
    sums.set(name, (sums.get(name) ?? 0) + frequency);
  }
  const all = Array.from(sums, ([value, frequency]) => (isCounted ? { value, frequency } : { value }));
  return isCounted ? all.sort((a, b) => (b.frequency ?? 0) - (a.frequency ?? 0)) : all;
}

/** The report as a table of text, for people. */
export function leakageTable({ table, rows, columns }: LeakageReport): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const of = (part: number, all: number): string => (all === 0 ? '–' : percent(part / all));
  const cells = (matching: Matching | undefined, all: number): string[] =>
    matching
      ? [
          of(matching.guessed, all),
          matching.expectedRight === undefined ? '–' : of(matching.expectedRight, all),
          matching.right === undefined ? '–' : of(matching.right, all),
        ]
      : ['–', '–', '–'];
  const lines = columns.flatMap((each) => {
    const { column, distinct, topShare, matching, coarser, fingerprints } = each;
    const line = [column, String(distinct), percent(topShare), ...cells(matching, fingerprints)];
    if (!coarser) return [line];
    const { source, ...more } = coarser;
    return [
      line,
      [
        `  coarser, ${source}`,
        String(more.distinct),
        percent(more.topShare),
        ...cells(more.matching, fingerprints),
      ],
    ];
  });
  const head = [
    'index column',
    'different',
    'most frequent',
    'guessed',
    'right, by the list',
    'right, measured',
  ];
  const widths = head.map((title, at) =>
    Math.max(title.length, ...lines.map((line) => line[at]?.length ?? 0)),
  );
  const written = [head, ...lines].map((line) =>
    line
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [`${table}: ${rows} rows`, ...written].join('\n');
}
