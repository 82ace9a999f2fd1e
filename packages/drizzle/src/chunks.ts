// Reads the SQL that Drizzle builds from chunks: what a chunk is, what it compares, and which columns are in it.
import {
  Column,
  getTableUniqueName,
  is,
  Param,
  SQL,
  type SQLChunk,
  type SQLWrapper,
  StringChunk,
} from 'drizzle-orm';
import { type Encryption, encryptionOf, opaquePlace } from './encryption.ts';
import type { ColumnPlace } from './error.ts';

export type Query = SQLWrapper & object;

export function isQuery(chunk: unknown): chunk is Query {
  if (typeof chunk !== 'object' || chunk === null || is(chunk, SQL)) return false;
  return 'getSQL' in chunk && 'getSelectedFields' in chunk;
}

/** True for SQL and for other objects that Drizzle turns into SQL: columns, tables, views, subqueries and queries. */
export function isSql(value: unknown): value is SQLWrapper {
  return (
    typeof value === 'object' && value !== null && 'getSQL' in value && typeof value.getSQL === 'function'
  );
}

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

/**
 * Returns the names of the table and the column for the first encrypted column or index column in an expression. Call
 * this function before Drizzle builds the SQL, because built SQL contains columns only as text.
 */
export function computedPlace(chunk: unknown): ColumnPlace | undefined {
  if (is(chunk, Column)) return opaquePlace(chunk);
  if (is(chunk, SQL.Aliased)) return computedPlace(chunk.sql);
  if (Array.isArray(chunk)) return firstIn(chunk);
  if (!is(chunk, SQL)) return undefined;
  const chunks = chunk.queryChunks.filter((part) => !isEmpty(part));
  const comparison = comparisonIn(chunks);
  // Accepts a comparison of an encrypted column with values, because another function replaces the values by
  // fingerprints. If no function replaces a value, `mapToDriver` throws.
  if (comparison && !comparison.operands.some(encryptionOf)) return undefined;
  return firstIn(chunks);
}

function firstIn(chunks: readonly unknown[]): ColumnPlace | undefined {
  for (const chunk of chunks) {
    const place = computedPlace(chunk);
    if (place) return place;
  }
  return undefined;
}
