export interface Figures {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly name: string; readonly values: readonly number[] }[];
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

export function tableOfFigures({ name, columns: heads, rows }: Figures): string[] {
  return tableOf(
    [name, ...heads],
    rows.map((row) => [row.name, ...row.values.map(round)]),
  );
}

/** Keeps three significant digits, because further digits differ from run to run. */
export function round(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumFractionDigits: 3 });
}
