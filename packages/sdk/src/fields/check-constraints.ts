import { requireOptions } from '../require-options.ts';
import type { FieldsDefinition } from './define-fields.ts';
import { planOf, requireField, requireTable } from './plan.ts';
import type { FieldName, NameOf, Tables } from './row-types.ts';
import { refuse } from './value-type.ts';

/** Options of `checkConstraints`, for names in the database that differ from the definition. */
export interface CheckConstraintsOptions<F> {
  /** The schema of the table in the database. By default, PostgreSQL uses the search path. */
  readonly schema?: string | undefined;
  /** The name of the table in the database. Defaults to the name in the definition. */
  readonly table?: string | undefined;
  /** The columns of fields, as in `{ firstName: 'first_name' }`. A column defaults to the name of its field. */
  readonly columns?: { readonly [Name in FieldName<F>]?: string } | undefined;
  /** Checks only new rows, so the table can still hold old plaintext. After the migration, run `validate constraint`. */
  readonly notValid?: boolean | undefined;
}

/**
 * Returns the PostgreSQL statement that makes the database refuse plaintext in the encrypted columns of a table. NULL is
 * still allowed. Throws InputError for a table or a column that is not defined.
 */
export function checkConstraints<T extends Tables, Table extends NameOf<T>>(
  definition: FieldsDefinition<T>,
  table: Table,
  options: CheckConstraintsOptions<T[Table]> = {},
): string {
  requireOptions({ schema: true, table: true, columns: true, notValid: true }, options, 'checkConstraints');
  const { schema, table: stored = table, notValid = false } = options;
  const columns: Readonly<Record<string, string | undefined>> = options.columns ?? {};
  const plan = requireTable(planOf(definition.tables), table);
  for (const name of Object.keys(columns)) requireField(plan, name);
  const { fields } = plan;
  if (fields.length === 0) refuse(`the table \`${table}\` has no encrypted columns`);
  const checks = fields.map(({ name }) => {
    const check = `add check (${quote(columns[name] ?? name)} like 'eaasA%')`;
    return notValid ? `${check} not valid` : check;
  });
  const target = schema === undefined ? quote(stored) : `${quote(schema)}.${quote(stored)}`;
  return `alter table ${target}\n  ${checks.join(',\n  ')};\n`;
}

/** Quotes an SQL identifier. */
function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
