// The pages of what works on encrypted columns: a table for each kind of operation, in which rows with equal outcomes are
// one, and so are columns. The tests of Prisma and of Drizzle find the outcomes.

export interface Section {
  readonly title: string;
  /** Each row has `yes` or a code for each kind of column. */
  readonly rows: readonly { readonly title: string; readonly outcomes: readonly string[] }[];
}

export const pageOf = (sections: readonly Section[], kinds: readonly string[]): string =>
  sections.map(({ title, rows }) => `## ${title}\n\n${outcomeTable(kinds, rows)}`).join('\n\n');

function outcomeTable(kinds: readonly string[], rows: Section['rows']): string {
  const columns = grouped(kinds, (_, at) => JSON.stringify(rows.map(({ outcomes }) => outcomes[at])));
  const head = columns.length === 1 ? ['every kind'] : columns.map((group) => group.join('; '));
  const body = grouped(rows, ({ outcomes }) => JSON.stringify(outcomes)).map((group) => {
    const titles = group.map(({ title }) => title).join('; ');
    const cells = columns.map(([kind]) => group[0].outcomes[kinds.indexOf(kind)] ?? '');
    return [titles].concat(cells.map((cell) => (cell === 'yes' ? cell : `\`${cell}\``)));
  });
  return table([['operation', ...head], ...body]);
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

/** Writes a table as the formatter does, with columns of one width. */
export function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows;
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}
