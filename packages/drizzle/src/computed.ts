import { Column, is, SQL } from 'drizzle-orm';
import { comparisonIn, isEmpty } from './comparison.ts';
import { encryptionOf, opaquePlace } from './encryption.ts';
import type { ColumnPlace } from './error.ts';

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
