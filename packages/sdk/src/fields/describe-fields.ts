import { requireOptions } from '@eaas/protocol/internal';
import type { FieldsDefinition } from './define-fields.ts';
import type { PartComparison, PartIndex } from './part-index.ts';
import { type FieldPlan, partIndexesOf, planOf, requireField, requireTable } from './plan.ts';
import type { FieldName, IndexColumns, NameOf, Tables } from './row-types.ts';
import { refuse } from './value-types.ts';

/** An index that `searchableBy` added to a field. A write of the field needs the values of the `others` too. */
export interface PartDescription extends Pick<PartIndex<unknown>, 'others' | 'isList' | 'bits'> {
  readonly name: string;
  /** The name of the index column. */
  readonly column: string;
  /** Compares decrypted values with a query. Undefined if only the app can compare. */
  readonly comparison: PartComparison | undefined;
}

/** Describes an encrypted field for an adapter of a database library. */
export interface FieldDescription {
  readonly name: string;
  /** The name of the field's type, such as `text`. */
  readonly type: string;
  /** The name of the index column. Undefined if the field is not searchable. */
  readonly indexColumn: string | undefined;
  /** The length of a fingerprint in bits. If it is less than 256, different values can have the same fingerprint. */
  readonly bits: number | undefined;
  /** The indexes that `searchableBy` added to the field. */
  readonly parts: readonly PartDescription[];
  /** Whether encryption and decryption need the id of the row. */
  readonly isBoundToRow: boolean;
}

/**
 * Describes the encrypted fields of a table, for adapters of database libraries. Throws InputError for an unknown
 * table.
 */
export function describeFields<T extends Tables>(
  definition: FieldsDefinition<T>,
  table: NameOf<T>,
): readonly FieldDescription[] {
  return requireTable(planOf(definition?.tables), table).fields.map((plan) => ({
    name: plan.name,
    type: plan.field.type.name,
    indexColumn: plan.indexes.find(({ name }) => name === undefined)?.column,
    bits: plan.field.index?.bits,
    parts: partIndexesOf(plan).map(({ name, column, index: { others, isList, bits, comparison } }) => {
      return { name, column, others, isList, bits, comparison };
    }),
    isBoundToRow: plan.field.context !== 'field',
  }));
}

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
 */
export function checkConstraints<T extends Tables, Table extends NameOf<T>>(
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
  if (fields.length === 0)
    refuse(`the table \`${table}\` has no encrypted fields, so it needs no check constraints`);
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
