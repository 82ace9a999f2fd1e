import type { EncryptedTableErrorCode } from '@eaas/sdk/fields';
import { kinds } from './cells.ts';

export type Outcome = 'works' | EncryptedTableErrorCode;

export interface Section {
  readonly title: string;
  readonly head: string;
  readonly rows: { readonly title: string; readonly outcomes: readonly Outcome[] }[];
}

const intro = `# What works on encrypted columns

A code in a table is that of the \`EncryptedTableError\` which the operation throws before it writes anything ([what to
do](../README.md#errors)). A test runs every line on PostgreSQL, every write also with null, and every update also with
\`{ set }\`. It checks that no encrypted column holds plaintext, and that no result holds a ciphertext.
`;

export function pageOf(sections: readonly Section[]): string {
  return [intro, ...sections.map(sectionOf)].join('\n');
}

function sectionOf({ title, head, rows }: Section): string {
  // The first outcome of each row is for unencrypted fields. The page leaves it out, because every operation works on
  // them.
  const shown = rows.map((row): OutcomeRow => {
    const outcomes = row.outcomes.map((outcome) => (outcome === 'works' ? 'yes' : `\`${outcome}\``));
    return { title: row.title, outcomes: outcomes.slice(1) };
  });
  const working = namesOf(shown);
  const others = shown.filter((row) => !works(row));
  const parts = [
    `## ${title}`,
    ...(working.length > 0 ? [listOf('On every kind of field:', working)] : []),
    ...(others.length > 0
      ? [
          outcomeTable(
            [head],
            kinds.slice(1).map((kind) => kind.title),
            others,
          ),
        ]
      : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

/**
 * Returns the titles of the operations that work. An operation has up to three titles: a plain one, one that ends in
 * "with null", and one that ends in "with `{ set }`". If all of them work, the list contains only the plain one.
 */
function namesOf(rows: readonly OutcomeRow[]): string[] {
  const baseOf = (title: string): string => title.replace(/ with (?:null|`\{ set \}`)$/, '');
  return grouped(rows, ({ title }) => baseOf(title)).flatMap((variants) =>
    variants.every(works) ? [baseOf(variants[0].title)] : variants.filter(works).map(({ title }) => title),
  );
}

interface OutcomeRow {
  readonly title: string;
  readonly outcomes: readonly string[];
}

const works = ({ outcomes }: OutcomeRow): boolean => outcomes.every((outcome) => outcome === 'yes');

/** Merges rows with equal outcomes, and columns with equal outcomes. */
function outcomeTable(
  head: readonly string[],
  kinds: readonly string[],
  rows: readonly OutcomeRow[],
): string {
  const columns = grouped(kinds, (_, at) => JSON.stringify(rows.map(({ outcomes }) => outcomes[at])));
  const all = columns.length === 1 ? ['every kind'] : columns.map((group) => group.join('; '));
  const merged = grouped(rows, ({ outcomes }) => JSON.stringify(outcomes));
  const body = merged.map((group) => {
    const [{ outcomes }] = group;
    const titles = group.map(({ title }) => title).join('; ');
    const cells = columns.map(([kind]) => outcomes[kinds.indexOf(kind)] ?? '');
    return [titles].concat(cells);
  });
  return tableOf([[...head, ...all], ...body]);
}

function grouped<T>(items: readonly T[], keyOf: (item: T, at: number) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const [at, item] of items.entries()) {
    const group = groups.get(keyOf(item, at));
    if (group) group.push(item);
    else groups.set(keyOf(item, at), [item]);
  }
  return [...groups.values()];
}

const width = 120;

/** Returns `start` and the list of `titles` as text with lines of at most 120 characters. */
function listOf(start: string, titles: readonly string[]): string {
  const lines = [start];
  for (const [at, title] of titles.entries()) {
    const item = title + (at === titles.length - 1 ? '.' : ';');
    const line = lines.at(-1) ?? '';
    if (line.length + 1 + item.length <= width) lines.splice(-1, 1, `${line} ${item}`);
    else lines.push(item);
  }
  return lines.join('\n');
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const widths = head.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[], fill = ' '): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0, fill)).join(' | ')} |`;
  return [
    line(head),
    line(
      head.map(() => ''),
      '-',
    ),
    ...body.map((row) => line(row)),
  ].join('\n');
}
