import { escapeHidden, inLine } from '@eaas/protocol/internal';
import { asTyped } from '@eaas/server/internal';

export interface Reporting {
  readonly json?: true;
}

export function printResult(record: object, options: Reporting): void {
  if (options.json) return printJson(record);
  const fields = Object.entries(record);
  const width = Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields) process.stdout.write(`${name.padEnd(width)}  ${shown(value)}\n`);
}

export function printResults<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  options: Reporting,
): void {
  if (options.json) return rows.forEach(printJson);
  if (rows.length === 0) return note('None.');
  const lines = [columns, ...rows.map((row) => columns.map((column) => shown(row[column])))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  for (const line of lines) {
    const cells = line.map((cell, at) => cell.padEnd(widths[at] ?? 0));
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`);
  }
}

export function printJson(record: object): void {
  process.stdout.write(`${escapeHidden(JSON.stringify(record))}\n`);
}

export function note(sentence: string): void {
  process.stderr.write(`${asTyped(sentence)}\n`);
}

export function next(step: string, options: Reporting): void {
  if (!options.json) note(`Next: ${step}`);
}

export function progress(what: string): (done: number, all: number) => void {
  let next = performance.now() + 1_000;
  return (done, all) => {
    if (performance.now() < next) return;
    next = performance.now() + 1_000;
    note(`${what}: ${done} of ${all}`);
  };
}

function shown(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return '-';
  if (Array.isArray(value)) return value.map(shown).join(', ');
  return typeof value === 'string' ? inLine(value) : escapeHidden(JSON.stringify(value));
}
