// Prints results to standard output, as a table or as JSON, and notes to standard error. Neither can steer a terminal.
import { escapeHidden, inLine } from '@eaas/protocol/internal';

/** Prints rows as a table with the columns, or as lines of JSON with all members. */
export function printRows<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  isJson: boolean,
): void {
  if (isJson) return rows.forEach(printJson);
  if (rows.length === 0) return;
  const lines = [columns, ...rows.map((row) => columns.map((column) => shown(row[column])))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  for (const line of lines) {
    const cells = line.map((cell, at) => cell.padEnd(widths[at] ?? 0));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

/** Prints the record as one line of JSON. */
export function printJson(record: object): void {
  process.stdout.write(`${escapeHidden(JSON.stringify(record))}\n`);
}

/** The value as text in one line, without characters that a terminal would not show. */
export function shown(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '-';
  if (Array.isArray(value)) return value.map(shown).join(', ');
  return typeof value === 'string' ? inLine(value) : escapeHidden(JSON.stringify(value));
}

/** Prints a sentence for a person, on standard error. What it quotes cannot steer a terminal. */
export function note(sentence: string): void {
  process.stderr.write(`${escapeHidden(sentence)}\n`);
}
