// What a table gets besides its own columns: index columns, and constraints over them instead of over ciphertexts.
import { Column, entityKind, getTableColumns, getTableName, is, SQL, sql, type Table } from 'drizzle-orm';
import {
  encryptedColumns,
  type EaasConfig,
  indexKeyOf,
  isIndexColumn,
  opaquePlace,
  partKeyOf,
  partsOf,
} from './encryption.ts';
import { refuse } from './error.ts';

/** What a table can have besides its columns. */
export interface TableOptions<Key, Extra> {
  /**
   * The key of the column that says whose data a row is: the subject, for whom its encrypted columns are encrypted. The
   * column is not encrypted itself, and `subjects.erase` makes the rows of a person unreadable.
   */
  readonly subject?: Key | undefined;
  /** Indexes and constraints, as the third argument of Drizzle's tables. */
  readonly extraConfig?: Extra | undefined;
}

/** Tells the two forms of the third argument of `encryptedTable` apart. */
export function optionsOf<Extra>(
  given: Extra | TableOptions<string, Extra> | undefined,
): TableOptions<string, Extra> {
  return typeof given === 'function' ? { extraConfig: given } : { ...(given as TableOptions<string, Extra>) };
}

interface EncryptedBuilder {
  readonly eaasConfig: { readonly name: string; readonly uniqueName: string | undefined } & EaasConfig;
}

const isEncryptedBuilder = (builder: object): builder is EncryptedBuilder => 'eaasConfig' in builder;

export interface IndexColumnRequest {
  readonly name: string;
  readonly isUnique: boolean;
  readonly uniqueName: string | undefined;
  readonly isList: boolean;
}

export function withIndexColumns(
  table: string,
  columns: Readonly<Record<string, object>>,
  create: (request: IndexColumnRequest) => object,
): Record<string, object> {
  const entries = Object.entries(columns).flatMap(([key, builder]): [string, object][] => {
    if (!isEncryptedBuilder(builder)) return [[key, builder]];
    const { name, uniqueName, eaas } = builder.eaasConfig;
    if ('role' in eaas) return [[key, builder]];
    const { field, isUnique } = eaas;
    const place = { table, column: name === '' ? key : name };
    const nameOf = (of: (key: string) => string): string => (name === '' ? '' : of(name));
    const parts = Object.entries(partsOf(field)).map(([part, { isList }]): [string, object] => {
      const own = (of: string): string => partKeyOf(of, part);
      return [own(key), create({ name: nameOf(own), isUnique: false, uniqueName: undefined, isList })];
    });
    if (!field.index && isUnique) {
      refuse('schema', place, 'a unique column must be searchable', 'add `.searchable()`');
    }
    const index = { name: nameOf(indexKeyOf), isUnique, uniqueName, isList: false };
    const whole: [string, object][] = field.index ? [[indexKeyOf(key), create(index)]] : [];
    const taken = [...whole, ...parts].find(([own]) => Object.hasOwn(columns, own));
    if (taken) {
      refuse('schema', place, `the index column needs the key \`${taken[0]}\``, 'rename the other column');
    }
    return [[key, builder] as [string, object]].concat(whole, parts);
  });
  return Object.fromEntries(entries);
}

interface IndexBuilder {
  readonly config: { columns: unknown[] };
}

interface ColumnsBuilder {
  columns: unknown[];
}

interface ForeignKeyBuilder {
  readonly reference: () => {
    readonly columns: readonly unknown[];
    readonly foreignColumns: readonly unknown[];
  };
}

const isIndex = (builder: object): builder is IndexBuilder =>
  'config' in builder && Array.isArray(Object(builder.config).columns);
const isColumns = (builder: object): builder is ColumnsBuilder =>
  'columns' in builder && Array.isArray(builder.columns);
const isForeignKey = (builder: object): builder is ForeignKeyBuilder =>
  'reference' in builder && typeof builder.reference === 'function';
const isPrimaryKey = (builder: object): boolean =>
  String(Reflect.get(builder.constructor, entityKind)).endsWith('PrimaryKeyBuilder');

/** Unique constraints cover index columns instead of encrypted columns, because two ciphertexts of a value differ. */
export function indexing<Self, Extra>(
  tableOf: () => Table,
  extraConfig: ((self: Self) => Extra[]) | undefined,
  check: (name: string, condition: SQL) => Extra,
): (self: Self) => Extra[] {
  return (self) => {
    const table = tableOf();
    const extra = Object.values(extraConfig?.(self) ?? []).flat(1) as Extra[];
    for (const builder of extra) {
      if (typeof builder === 'object' && builder !== null) coverIndexColumns(builder, table);
    }
    const checks = encryptedColumns(table).flatMap(({ column, indexes }) =>
      indexes.map((index) =>
        check(
          `${getTableName(table)}_${index.column.name}_check`,
          sql`${column} is not null or ${index.column} is null`,
        ),
      ),
    );
    return [...extra, ...checks];
  };
}

function coverIndexColumns(builder: object, table: Table): void {
  if (isForeignKey(builder)) {
    const { columns, foreignColumns } = builder.reference();
    requirePlain('a foreign key', [...columns, ...foreignColumns], table);
  } else if (isIndex(builder)) {
    builder.config.columns = builder.config.columns.map((column) => covered(column, table));
  } else if (isColumns(builder)) {
    if (isPrimaryKey(builder)) requirePlain('a primary key', builder.columns, table);
    else builder.columns = builder.columns.map((column) => covered(column, table));
  }
}

/** Compares names, because in a PostgreSQL index, Drizzle replaces the column by another object with the same name. */
function entryNamed(column: unknown, table: Table) {
  if (typeof column !== 'object' || column === null || !('name' in column)) return undefined;
  if (is(column, Column) && column.table !== table) return undefined;
  return encryptedColumns(table).find((entry) => entry.column.name === column.name);
}

function covered(column: unknown, table: Table): unknown {
  if (is(column, SQL)) {
    requirePlain('an expression of an index', column.queryChunks, table);
    return column;
  }
  const entry = entryNamed(column, table);
  if (!entry) return column;
  if (!entry.index) {
    const problem = 'a unique constraint or an index must cover a searchable column';
    return refuse('schema', entry.encryption, problem, 'add `.searchable()`, or leave the column out');
  }
  return is(column, Column) ? entry.index : Object.assign({}, column, { name: entry.index.name });
}

function requirePlain(what: string, columns: readonly unknown[], table: Table): void {
  for (const column of columns) {
    if (is(column, SQL)) requirePlain(what, column.queryChunks, table);
    const place = entryNamed(column, table)?.encryption ?? opaquePlace(column);
    if (!place) continue;
    const problem = `${what} cannot use an encrypted column, because two encryptions of a value differ`;
    refuse('schema', place, problem, 'use a column that is not encrypted');
  }
}

/** Where Drizzle keeps the columns of a table. */
const columnsSymbol = Symbol.for('drizzle:Columns');

/**
 * Returns a table for tools that make schemas from tables, such as drizzle-zod: without the index columns, which no row
 * has, and with the types of decrypted texts, booleans and dates. Do not pass it to a query.
 */
export function withoutIndexes<T extends Table>(table: T): T {
  const values = new Map(
    encryptedColumns(table).map(({ column, encryption }) => [column, encryption.field.type.name]),
  );
  const columns = Object.entries<Column>(getTableColumns(table)).filter(
    ([, column]) => !isIndexColumn(column),
  );
  const shown = columns.map(([key, column]): [string, Column] => {
    const type = values.get(column) ?? '';
    const dataType = type === 'text' ? 'string' : type;
    // Drizzle's types of numbers and bigints have limits that encrypted columns do not have.
    if (!/^(?:string|boolean|date)$/.test(dataType)) return [key, column];
    return [key, Object.create(column, { dataType: { value: dataType } }) as Column];
  });
  return Object.create(table, { [columnsSymbol]: { value: Object.fromEntries(shown) } }) as T;
}
