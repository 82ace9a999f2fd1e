import { hasControlCharacter } from '@eaas/protocol/wire';

/** A result: a line a field for people, one line of JSON with --json. */
export function printResult(record: object, options: { readonly json?: true }): void {
  if (options.json) printJson(record);
  else printRecord(record);
}

/** Results: a table with some of their fields for people, one line of JSON each with --json. */
export function printResults<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  options: { readonly json?: true },
): void {
  if (!options.json) return rows.length > 0 ? printTable(rows, columns) : note('There are none.');
  for (const row of rows) printJson(row);
}

/** A sentence for whoever watches, apart from the result. */
export function note(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

/** What is shown of a tenant may not be what the service wrote. */
export function noteChanged({ tenant_id: id }: { readonly tenant_id: string }): void {
  note(
    `Warning: the row of tenant ${id} was changed behind the service's back: \`eaas audit verify --tenant ${id}\`.`,
  );
}

/** One line of JSON. */
export function printJson(record: object): void {
  process.stdout.write(`${JSON.stringify(record)}\n`);
}

function printRecord(record: object): void {
  const fields = Object.entries(record);
  const width = Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields) process.stdout.write(`${name.padEnd(width)}  ${shown(value)}\n`);
}

function printTable<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
): void {
  const cells = [columns, ...rows.map((row) => columns.map((column) => shown(row[column])))];
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => (line[at] ?? '').length)));
  for (const line of cells) {
    process.stdout.write(
      `${line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  }
}

function shown(value: unknown): string {
  if (value === null) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(shown).join(', ');
  return typeof value === 'string' ? inLine(value) : JSON.stringify(value);
}

/** Text that may hold what a terminal would obey, or that would break the line. */
export function inLine(text: string): string {
  return hasControlCharacter(text) ? JSON.stringify(text) : text;
}
