import { Column, entityKind, getTableName, is, SQL, sql, type Table } from 'drizzle-orm';
import { encryptedColumns, opaquePlace } from './encryption.ts';
import { refuse } from './error.ts';

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
