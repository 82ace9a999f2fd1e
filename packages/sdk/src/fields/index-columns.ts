import type { FieldsDefinition } from './define-fields.ts';
import { planOf, requireTable } from './plan.ts';
import type { IndexColumns, NameOf, Tables } from './row-types.ts';

/**
 * Returns the names of all index columns of a table. Pass these names to an inventory, which must ignore fingerprints:
 * `{ except: indexColumns(fields, 'users') }`.
 */
export function indexColumns<T extends Tables, Table extends NameOf<T>>(
  definition: FieldsDefinition<T>,
  table: Table,
): IndexColumns<T[Table]>[] {
  const { fields } = requireTable(planOf(definition?.tables), table);
  return fields.flatMap(({ indexColumns }) => indexColumns) as IndexColumns<T[Table]>[];
}
