import { tableOf } from './table.ts';

export interface OutcomeRow {
  /** The first cell of the row. Undefined if the table has no column for the operation. */
  readonly operation?: string;
  readonly title: string;
  readonly outcomes: readonly string[];
}

export const works = ({ outcomes }: OutcomeRow): boolean => outcomes.every((outcome) => outcome === 'yes');

/** Merges rows with equal outcomes, and columns with equal outcomes. */
export function outcomeTable(
  head: readonly string[],
  kinds: readonly string[],
  rows: readonly OutcomeRow[],
): string {
  const columns = grouped(kinds, (_, at) => JSON.stringify(rows.map(({ outcomes }) => outcomes[at])));
  const all = columns.length === 1 ? ['every kind'] : columns.map((group) => group.join('; '));
  const merged = grouped(rows, ({ operation, outcomes }) => JSON.stringify([operation, outcomes]));
  const body = merged.map((group) => {
    const [{ operation, outcomes }] = group;
    const titles = group.map(({ title }) => title).join('; ');
    const cells = columns.map(([kind]) => outcomes[kinds.indexOf(kind)] ?? '');
    return (operation === undefined ? [] : [operation]).concat(titles, cells);
  });
  return tableOf([[...head, ...all], ...body]);
}

export function grouped<T>(items: readonly T[], keyOf: (item: T, at: number) => string): [T, ...T[]][] {
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
export function listOf(start: string, titles: readonly string[], indent = ''): string {
  const lines = [start];
  for (const [at, title] of titles.entries()) {
    const item = title + (at === titles.length - 1 ? '.' : ';');
    const line = lines.at(-1) ?? '';
    if (line.length + 1 + item.length <= width) lines.splice(-1, 1, `${line} ${item}`);
    else lines.push(indent + item);
  }
  return lines.join('\n');
}
