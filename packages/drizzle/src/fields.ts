// The fields that a statement returns, and the columns that it writes: which of them no statement may show or store as they
// are, because a second definition of a table hides that they are encrypted.
import { Column, getTableColumns, getTableName, is, SQL, Subquery, Table } from 'drizzle-orm';
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

/** The names of the schema and the table in the database, also for an alias. */
const originOf = (table: Table): string => JSON.stringify([schemaOf(table), ownNameOf(table)]);

/** The encrypted columns of tables, by their names. */
type ColumnsOfTables = Map<string, Map<string, Encryption>>;

function columnsIn(tables: ColumnsOfTables, table: Table): Map<string, Encryption> {
  const columns = tables.get(originOf(table)) ?? new Map<string, Encryption>();
  tables.set(originOf(table), columns);
  return columns;
}

/** What this process has defined, for whatever database. */
const defined: ColumnsOfTables = new Map();

export const rememberColumn = (table: Table, encryption: Encryption): unknown =>
  columnsIn(defined, table).set(encryption.column, encryption);

/** The encrypted columns of a database: its schema decides about the tables in it, and for any other what the process has defined. */
export interface KnownColumns {
  readonly of: (table: Table) => ReadonlyMap<string, Encryption> | undefined;
  readonly all: () => readonly Encryption[];
  readonly storedName: (column: Column) => string;
}

export function knownColumns(schema: readonly Table[], storedName: (column: Column) => string): KnownColumns {
  const own: ColumnsOfTables = new Map();
  for (const table of schema) {
    const columns = columnsIn(own, table);
    for (const { encryption } of layoutOf(table).columns) columns.set(encryption.column, encryption);
  }
  return {
    of: (table) => own.get(originOf(table)) ?? defined.get(originOf(table)),
    all: () => Array.from(new Map([...defined, ...own]).values(), (columns) => [...columns.values()]).flat(),
    storedName,
  };
}

/** Throws for a column of a second definition of a table, which says that nothing in it is encrypted. */
export function refuseSecondDefinition(field: unknown, known: KnownColumns): void {
  if (is(field, SQL.Aliased)) refuseSecondDefinition(field.sql, known);
  if (is(field, SQL)) for (const chunk of field.queryChunks) refuseSecondDefinition(chunk, known);
  if (!is(field, Column) || !is(field.table, Table) || layoutOf(field.table).columns.length > 0) return;
  const encryption = known.of(field.table)?.get(known.storedName(field));
  if (!encryption) return;
  const problem = 'the column is encrypted, but this definition of its table says that it is not';
  const remedy =
    'use the table that `encryptedTable` returned, or, if this is the table of another database, pass its `schema` to `drizzle`';
  refuse('not_decrypted', encryption, problem, remedy);
}
