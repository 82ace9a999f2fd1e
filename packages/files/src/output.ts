import { escapeHidden, inLine } from '@eaas/protocol/internal';

export function printResults<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  isJson: boolean,
): void {
  if (isJson) {
    for (const row of rows) process.stdout.write(`${escapeHidden(JSON.stringify(row))}\n`);
    return;
  }
  if (rows.length === 0) return;
  const lines = [columns, ...rows.map((row) => columns.map((column) => shown(row[column])))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  for (const line of lines) {
    const cells = line.map((cell, at) => cell.padEnd(widths[at] ?? 0));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

export function note(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? inLine(value) : JSON.stringify(value);
}
