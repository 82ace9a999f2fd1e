import { Column, is, Param, SQL, type SQLChunk, StringChunk } from 'drizzle-orm';
import { type Encryption, encryptionOf } from './encryption.ts';

/** A comparison that works on an encrypted column. */
export type Comparison = {
  readonly column: Column;
  readonly encryption: Encryption;
  /** `unchanged`: SQL that sees only whether there is a value. */
  readonly operator: '=' | '<>' | 'in' | 'not in' | 'unchanged';
  /** What the column is compared with: values, a column, or something else. */
  readonly operands: readonly unknown[];
};

/** The text of a piece of SQL. Empty for values and columns. */
export function textOf(chunk: SQLChunk | undefined): string {
  return is(chunk, StringChunk) ? chunk.value.join('') : '';
}

export const isEmpty = (chunk: SQLChunk): boolean => is(chunk, StringChunk) && textOf(chunk) === '';

/**
 * Returns the comparison that the pieces of one SQL object are, as Drizzle's operators and `sql` create them. Undefined if they
 * are something else.
 */
export function comparisonIn(chunks: readonly SQLChunk[]): Comparison | undefined {
  if (chunks.length === 3 && isCount(chunks)) return comparison(chunks[1], 'unchanged', []);
  const [left, operator, right] = chunks;
  const name = textOf(operator).trim().toLowerCase();
  if (chunks.length === 2 && /^is (?:not )?null$/.test(name)) return comparison(left, 'unchanged', []);
  if (chunks.length !== 3) return undefined;
  switch (name) {
    case '=':
    case '<>':
      return comparison(left, name, [right]);
    case 'in':
    case 'not in':
      return Array.isArray(right) ? comparison(left, name, right) : undefined;
    default:
      return undefined;
  }

  function comparison(
    column: SQLChunk | undefined,
    operator: Comparison['operator'],
    operands: readonly unknown[],
  ): Comparison | undefined {
    const encryption = encryptionOf(column);
    if (!encryption || !is(column, Column)) return undefined;
    return { column, encryption, operator, operands: operands.map(valueOf) };
  }

  function isCount([before, , end]: readonly SQLChunk[]): boolean {
    return textOf(before).toLowerCase() === 'count(' && textOf(end) === ')';
  }
}

/** The value of a parameter. Everything else is returned unchanged. */
export function valueOf(chunk: unknown): unknown {
  return is(chunk, Param) ? chunk.value : chunk;
}

/** Returns the value that a condition requires of a column: `eq(column, value)` alone. Undefined for other conditions. */
export function comparedValue(where: SQL | undefined, column: Column): unknown {
  const chunks = where?.queryChunks.filter((chunk) => !isEmpty(chunk)) ?? [];
  const [left, operator, right] = chunks;
  if (chunks.length === 1 && is(left, SQL)) return comparedValue(left, column);
  const isEquality = chunks.length === 3 && textOf(operator).trim() === '=' && is(right, Param);
  if (!isEquality || !is(left, Column) || left.name !== column.name) return undefined;
  const { value } = right;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    ? value
    : undefined;
}
