// How `open` writes rows: as lines of CSV, or of NDJSON.
import { toBase64 } from '@eaas/protocol/internal-base64';
import { isBytes, isDate } from '@eaas/protocol/internal';
import { csvCell } from '@eaas/sdk/internal';
import type { Row } from '../rows.ts';

/** Returns a function that makes the line of a row. */
export function linesOf(names: readonly string[], isCsv: boolean, isExact: boolean) {
  const csv = (row: Row) => names.map((name) => csvCell(cellOf(shown(row[name])), isExact)).join(',');
  // JSON has no bigint.
  const textOf = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  const entriesOf = (row: Row) => names.map((name) => [name, shown(row[name])] as const);
  const json = (row: Row) => JSON.stringify(Object.fromEntries(entriesOf(row)), textOf);
  return (row: Row): string => (isCsv ? `${csv(row)}\r\n` : `${json(row)}\n`);
}

const cellOf = (value: unknown) => (typeof value === 'object' && value ? JSON.stringify(value) : value);

function shown(value: unknown): unknown {
  if (isBytes(value)) return toBase64(value);
  if (isDate(value)) return value.toISOString();
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
}
