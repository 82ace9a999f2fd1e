// Comparisons of two columns by the database, which only Drizzle writes.
import type { CoreTable } from './adapter.ts';
import { wholeIndexOf } from './core.ts';
import { refuseStatement } from './encrypted-table-error.ts';
import { isJoined, lasting, requireField } from './plan.ts';

/**
 * For adapters: the index column for whole values. Throws if there is none, or if other values have the same fingerprint.
 * `to` is a column that the database compares with this one: throws unless equal values in both always have the same.
 */
export function indexOf(table: CoreTable, column: string, to?: { table: CoreTable; column: string }): string {
  const index = wholeIndexOf(table, column);
  if (!to || !wholeIndexOf(to.table, to.column)) return index;
  const one = requireField(table.plan, column);
  const other = requireField(to.table.plan, to.column);
  if (isJoined(one, other) && one.field.type.name === other.field.type.name) return index;
  const problem = `equal values can have different fingerprints in ${other.place}`;
  const remedy = `write ${lasting(other)} in both`;
  return refuseStatement('not_supported', { table: table.name, column }, problem, remedy);
}
