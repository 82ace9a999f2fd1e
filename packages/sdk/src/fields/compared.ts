// Comparisons of two columns by the database, which Drizzle writes. A file of its own, because an app with Prisma loads none of it.
import { type CoreTable, wholeIndexOf, wholeOf } from './core.ts';
import { refuseStatement } from './encrypted-table-error.ts';
import { type FieldPlan, requireField, requireOneLabel } from './plan.ts';

/**
 * For adapters: the index column for whole values. Throws if there is none, or if other values have the same fingerprint.
 * `to` is a column that the database compares with this one: throws unless equal values in both have the same.
 */
export function indexOf(table: CoreTable, column: string, to?: { table: CoreTable; column: string }): string {
  const index = wholeIndexOf(table, column);
  const field = requireField(table.plan, column);
  const other = to && requireField(to.table.plan, to.column);
  if (!other || !wholeOf(other)) return index;
  for (const each of [field, other]) requireOneLabel(each, 'columns are compared by them');
  if (madeOf(field) === madeOf(other)) return index;
  const problem = `equal values have different fingerprints in ${other.place}`;
  const bound = `searchable({ boundTo: { table: '${other.table}', field: '${other.name}' } })`;
  const remedy = `define one of the fields with \`${bound}\``;
  return refuseStatement('not_supported', { table: table.name, column }, problem, remedy);
}

/** What besides a value makes its fingerprint. */
const madeOf = (plan: FieldPlan): string => `${plan.field.type.name} ${String(wholeOf(plan)?.labels)}`;
