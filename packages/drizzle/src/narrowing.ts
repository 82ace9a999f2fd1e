// Searches by `dateRange` whose bounds are inside a month. The database also finds the other days of the month, and the
// package drops them after decryption, where that changes nothing but which rows are returned.
import { type Column, is, SQL, StringChunk } from 'drizzle-orm';
import type { BuilderConfig } from './builder.ts';
import { type Comparison, comparisonIn, isEmpty, textOf } from './chunks.ts';
import { type Encryption, partsOf } from './encryption.ts';
import type { Row, TableRecords } from './records.ts';

/** A condition to repeat on decrypted values. `path` leads to the value in a row of the result. */
export interface Narrowing {
  readonly path: readonly string[];
  readonly column: Column;
  readonly encryption: Encryption;
  readonly query: Row;
}

/** The part of a query of `matches` that the database cannot answer alone, or undefined. */
export function wideIn({ field }: Encryption, query: unknown): Row | undefined {
  const parts = partsOf(field);
  const wide = Object.entries(Object(query) as Row).filter(([name, asked]) => {
    const comparison = Object.hasOwn(parts, name) ? parts[name]?.comparison : undefined;
    return comparison !== undefined && !comparison.isWhole(asked);
  });
  return wide.length === 0 ? undefined : Object.fromEntries(wide);
}

type Shape = Pick<BuilderConfig, 'limit' | 'offset' | 'distinct' | 'groupBy' | 'setOperators'>;

/** Whether the rows that remain after dropping some are the result that the query asks for. */
export function mayDropRows({ limit, offset, distinct, groupBy, setOperators = [] }: Shape): boolean {
  const isCut = limit !== undefined || offset !== undefined || Boolean(distinct);
  return !isCut && (groupBy ?? []).length === 0 && setOperators.length === 0;
}

/** Returns the searches that every row of a result must meet, because `and` joins them with all other conditions. */
export function wideSearchesIn(where: unknown): Comparison[] {
  if (!is(where, SQL)) return [];
  const chunks = where.queryChunks.filter((chunk) => !isEmpty(chunk));
  const comparison = comparisonIn(chunks);
  if (comparison) return comparison.operator === 'matches' && isWide(comparison) ? [comparison] : [];
  const isConjunction = chunks.every((chunk) => {
    return is(chunk, SQL) || (is(chunk, StringChunk) && /^\s*(?:\(|\)|and)?\s*$/i.test(textOf(chunk)));
  });
  return isConjunction ? chunks.flatMap(wideSearchesIn) : [];
}

function isWide({ encryption, operands }: Comparison): boolean {
  try {
    return wideIn(encryption, operands[0]) !== undefined;
  } catch {
    return false; // The query is invalid. The search throws an error that names the column.
  }
}

/** Returns the rows whose values meet the conditions. */
export function narrowed(
  rows: readonly Row[],
  narrowings: readonly Narrowing[],
  recordsOf: (table: Column['table']) => TableRecords,
  valueAt: (row: Row, path: readonly string[]) => unknown,
): readonly Row[] {
  return narrowings.reduce<readonly Row[]>((left, { path, column, encryption, query }) => {
    const values = left.map((row) => ({ [encryption.column]: valueAt(row, path) }));
    const kept = new Set(recordsOf(column.table).onlyMatching(encryption.column, values, query));
    return left.filter((_, at) => kept.has(values[at] ?? {}));
  }, rows);
}
