import { Column, getTableUniqueName, is, Param, SQL, type SQLChunk, StringChunk } from 'drizzle-orm';
import { type Encryption, encryptionOf } from './encryption.ts';

export type Comparison = {
  readonly column: Column;
  readonly encryption: Encryption;
  readonly operator: '=' | '<>' | 'in' | 'not in' | 'matches' | 'unchanged';
  readonly operands: readonly unknown[];
};

export function textOf(chunk: SQLChunk | undefined): string {
  return is(chunk, StringChunk) ? chunk.value.join('') : '';
}

export const isEmpty = (chunk: SQLChunk): boolean => is(chunk, StringChunk) && textOf(chunk) === '';

export function comparisonIn(chunks: readonly SQLChunk[]): Comparison | undefined {
  if (chunks.length === 3 && isCount(chunks)) return comparison(chunks[1], 'unchanged', []);
  const [left, operator, right] = chunks;
  const name = textOf(operator).trim().toLowerCase();
  if (chunks.length === 2 && /^is (?:not )?null$/.test(name)) return comparison(left, 'unchanged', []);
  if (chunks.length !== 3) return undefined;
  switch (name) {
    case '=':
    case '<>':
    case 'matches':
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

export function valueOf(chunk: unknown): unknown {
  return is(chunk, Param) ? chunk.value : chunk;
}

export function comparedValue(where: SQL | undefined, column: Column): unknown {
  const chunks = where?.queryChunks.filter((chunk) => !isEmpty(chunk)) ?? [];
  const [left, operator, right] = chunks;
  if (chunks.length === 1 && is(left, SQL)) return comparedValue(left, column);
  const isEquality = chunks.length === 3 && textOf(operator).trim() === '=' && is(right, Param);
  if (!isEquality || !is(left, Column) || !isSameColumn(left, column)) return undefined;
  const { value } = right;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    ? value
    : undefined;
}

/** Compares names, because Drizzle creates a new object for a column of an alias at each access. */
export function isSameColumn(one: Column, other: Column): boolean {
  return one.name === other.name && getTableUniqueName(one.table) === getTableUniqueName(other.table);
}
