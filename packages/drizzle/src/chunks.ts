// Reads the SQL that Drizzle builds from chunks: what a chunk is, and what it compares.
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
import { type Encryption, encryptionOf } from './table.ts';

export type Query = SQLWrapper & object;

/** True for SQL and for other objects that Drizzle turns into SQL: columns, tables, views, subqueries and queries. */
export const isSql = (value: unknown): value is SQLWrapper =>
  typeof (value as Partial<SQLWrapper> | null | undefined)?.getSQL === 'function';

/** A query of Drizzle, whose rows have fields. */
export const isQuery = (chunk: unknown): chunk is Query =>
  isSql(chunk) && !is(chunk, SQL) && 'getSelectedFields' in chunk;

export const textOf = (chunk: unknown): string => (is(chunk, StringChunk) ? chunk.value.join('') : '');

/** The chunks of SQL but empty texts, which Drizzle puts around values. */
const chunksOf = ({ queryChunks }: SQL): readonly SQLChunk[] =>
  queryChunks.filter((chunk) => !is(chunk, StringChunk) || textOf(chunk) !== '');

export const valueOf = (chunk: unknown): unknown => (is(chunk, Param) ? chunk.value : chunk);

export interface Comparison {
  readonly column: Column;
  readonly encryption: Encryption;
  /** `unchanged` is a test for null, or a count, which say nothing about values. */
  readonly operator: '=' | '<>' | 'in' | 'not in' | 'matches' | 'unchanged';
  readonly operands: readonly unknown[];
}

/** Returns what SQL compares, if it compares an encrypted column. */
export function comparisonIn(whole: SQL): Comparison | undefined {
  const chunks = chunksOf(whole);
  const [left, second, right] = chunks;
  const isCount = chunks.length === 3 && textOf(left).toLowerCase() === 'count(' && textOf(right) === ')';
  const column = isCount ? second : left;
  const encryption = encryptionOf(column);
  if (!encryption || !is(column, Column)) return undefined;
  const operator = textOf(second).trim().toLowerCase();
  if (isCount || (chunks.length === 2 && /^is (?:not )?null$/.test(operator))) {
    return { column, encryption, operator: 'unchanged', operands: [] };
  }
  if (chunks.length !== 3) return undefined;
  if (operator === '=' || operator === '<>' || operator === 'matches') {
    return { column, encryption, operator, operands: [valueOf(right)] };
  }
  if ((operator === 'in' || operator === 'not in') && Array.isArray(right)) {
    return { column, encryption, operator, operands: right.map(valueOf) };
  }
  return undefined;
}

/** Returns the value that all rows of a condition have in a column, if the condition is `eq(column, value)` alone. */
export function comparedValue(where: SQL | undefined, column: Column): unknown {
  const chunks = where ? chunksOf(where) : [];
  const [left, operator, right] = chunks;
  if (chunks.length === 1 && is(left, SQL)) return comparedValue(left, column);
  const isOfColumn = chunks.length === 3 && is(left, Column) && isSameColumn(left, column);
  const value = isOfColumn && textOf(operator).trim() === '=' ? valueOf(right) : undefined;
  return /^(?:string|number|bigint)$/.test(typeof value) ? value : undefined;
}

/** Compares names, because Drizzle creates a new object for a column of an alias at each access. */
export const isSameColumn = (one: Column, other: Column): boolean =>
  one.name === other.name && getTableUniqueName(one.table) === getTableUniqueName(other.table);
