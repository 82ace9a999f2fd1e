// The fields that a statement returns, and the columns that it writes: which of them no statement may show or store as they
// are, because a second definition of a table hides that they are encrypted.
import { Column, getTableColumns, getTableName, is, SQL, Subquery, Table } from 'drizzle-orm';
import type { Access } from './access.ts';
import { refuse } from './error.ts';
import { type Encryption, isIndexColumn, layoutOf, schemaOf } from './table.ts';

export type Fields = { readonly [key: string]: unknown };

export interface SelectedField {
  readonly path: readonly string[];
  readonly field: unknown;
}

const isField = (value: unknown): boolean =>
  is(value, Column) || is(value, SQL) || is(value, SQL.Aliased) || is(value, Subquery);

export function flatFields(fields: Fields, path: readonly string[] = []): SelectedField[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const here = [...path, name];
    if (isField(field)) return [{ path: here, field }];
    return flatFields(is(field, Table) ? getTableColumns(field) : (field as Fields), here);
  });
}

/** The opposite of `flatFields`. */
export function nestedFields(fields: readonly SelectedField[]): Fields {
  const nested: Record<string, unknown> = {};
  for (const { path, field } of fields) {
    let holder = nested;
    for (const name of path.slice(0, -1)) holder = (holder[name] ??= {}) as Record<string, unknown>;
    holder[path.at(-1) ?? ''] = field;
  }
  return nested;
}

/** Where a statement has its tables. */
export interface Sources {
  readonly table?: unknown;
  readonly from?: unknown;
  readonly joins?: readonly { readonly table: unknown }[];
}

export const sourcesOf = ({ table, from, joins = [] }: Sources): unknown[] => [
  table,
  from,
  ...joins.map((join) => join.table),
];

/** Returns the column, unless it is of a subquery that does not select it. */
export function requireSelected(column: Column, sources: readonly unknown[] = []): Column {
  const alias = getTableName(column.table);
  const source = sources.find((each): each is Subquery => is(each, Subquery) && each._.alias === alias);
  const selected = source ? flatFields(source._.selectedFields) : [];
  const isSelected = selected.some(({ field }) => is(field, Column) && field.name === column.name);
  if (!source || isSelected) return column;
  const place = { table: String(ownNameOf(column.table)), column: column.name };
  const problem = `the subquery \`${alias}\` does not select the column`;
  const code = isIndexColumn(column) ? 'not_searchable' : 'not_decrypted';
  return refuse(code, place, problem, 'select it, or all columns, in the subquery');
}

export const ownNameOf = (table: Table): unknown => Reflect.get(table, Symbol.for('drizzle:OriginalName'));

/** The names of the schema, the table and the column in the database, also for an alias. */
export const originOf = (table: Table, column: string): string =>
  JSON.stringify([schemaOf(table), ownNameOf(table), column]);

/** What this process has defined, for whatever database. */
export const encryptedColumns = new Map<string, Encryption>();

/** Returns the field, unless it is a column of a second definition of a table, which says that nothing in it is encrypted. */
export function requireFirstDefinition<F>(field: F, access: Access): F {
  if (!is(field, Column) || !is(field.table, Table) || layoutOf(field.table).columns.length > 0) return field;
  const encryption = encryptedColumns.get(originOf(field.table, access.storedName(field)));
  if (!encryption) return field;
  const problem = 'the column is encrypted, but this definition of its table says that it is not';
  const remedy =
    'use the table that `encryptedTable` returned, or, for a table of another database, that database without `withEncryption`';
  return refuse('not_decrypted', encryption, problem, remedy);
}
