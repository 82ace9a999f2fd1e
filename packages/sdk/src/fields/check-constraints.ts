// `checkConstraints`: has PostgreSQL itself refuse plaintext in encrypted columns.
import { requireOptions } from '@eaas/protocol/internal';
import type { FieldsDefinition } from './define-fields.ts';
import { writesOlder } from './older-form.ts';
import { type FieldPlan, partIndexesOf, planOf, requireField, requireTable } from './plan.ts';
import type { FieldName, IndexColumns, NameOf, FieldsTables } from './row-types.ts';
import { refuse } from './value-types.ts';

/** Options of `checkConstraints`: the names in the database, where they differ from the names in the definition. */
export interface CheckConstraintsOptions<F> {
  /** The schema of the table in the database. By default, PostgreSQL uses the search path. */
  readonly schema?: string | undefined;
  /** The name of the table in the database. Defaults to the name in the definition. */
  readonly table?: string | undefined;
  /** The database names of columns whose name differs from the definition, as in `{ firstName: 'first_name' }`. */
  readonly columns?: { readonly [Name in FieldName<F> | IndexColumns<F>]?: string } | undefined;
  /**
   * If true, the constraints check only new and changed rows, so the table can still hold old plaintext. After the
   * migration, run `validate constraint`.
   */
  readonly notValid?: boolean | undefined;
}

/**
 * Returns a PostgreSQL statement that adds check constraints to a table. The encrypted columns of the table and the
 * index columns of `searchableBy` then refuse plaintext, but accept NULL. Throws InputError for a table or a column
 * that is not defined.
 *
 * @example
 * ```ts
 * import { checkConstraints, defineFields, field } from '@eaas/sdk/fields';
 *
 * const fields = defineFields({ patients: { name: field.text() } });
 * await pool.query(checkConstraints(fields, 'patients'), []); // add check ("name" like 'eaasA%')
 * ```
 */
export function checkConstraints<T extends FieldsTables, Table extends NameOf<T>>(
  definition: FieldsDefinition<T>,
  table: Table,
  options: CheckConstraintsOptions<T[Table]> = {},
): string {
  requireOptions(
    { schema: 'text', table: 'text', columns: 'object', notValid: 'flag' },
    options,
    'checkConstraints',
  );
  const { schema, table: stored = table, notValid = false } = options;
  const columns: Readonly<Record<string, string | undefined>> = options.columns ?? {};
  const plan = requireTable(planOf(definition?.tables), table);
  const { fields } = plan;
  for (const name of Object.keys(columns)) if (!plan.encrypted.has(name)) requireField(plan, name);
  if (fields.length === 0) {
    refuse(`the table \`${table}\` has no encrypted fields, so it needs no check constraints`);
  }
  const older = fields.find(({ field }) => writesOlder(field));
  if (older) {
    refuse(
      `${older.place} still writes what the version before reads: remove \`write\` of \`plaintext\` first`,
    );
  }
  const checks = fields.flatMap(conditionsOf).map(([name, condition]) => {
    const check = `add check (${quote(columns[name] ?? name)} ${condition})`;
    return notValid ? `${check} not valid` : check;
  });
  const target = schema === undefined ? quote(stored) : `${quote(schema)}.${quote(stored)}`;
  return `alter table ${target}\n  ${checks.join(',\n  ')};\n`;
}

function conditionsOf(plan: FieldPlan): [string, string][] {
  const patterns = partIndexesOf(plan).map(({ column, index }): [string, string] => {
    const one = `[0-9a-f]{${Math.ceil(index.bits / 4)}}`;
    return [column, `~ '^${one}( ${one})*$'`];
  });
  return [[plan.name, "like 'eaasA%'"], ...patterns];
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
