import type { BuildColumns, Table } from 'drizzle-orm';
import {
  check,
  type SQLiteColumnBuilderBase,
  type SQLiteTable,
  sqliteTable,
  type SQLiteTableExtraConfigValue,
  type TableConfig,
} from 'drizzle-orm/sqlite-core';
import { withIndexColumns } from '../table.ts';
import { indexing } from '../table-config.ts';
import type { Accessible } from '../types.ts';
import { IndexSQLiteColumnBuilder } from './columns.ts';

/**
 * A table with encrypted columns. In TypeScript, `like`, `gt` and `asc` do not accept an encrypted column, because its
 * type is not a Drizzle column type.
 */
export type EncryptedSQLiteTable<T extends TableConfig> = SQLiteTable<T> & Accessible<T['columns']>;

type Columns = Record<string, SQLiteColumnBuilderBase>;
type ExtraConfig<Name extends string, C extends Columns> = (
  self: BuildColumns<Name, C, 'sqlite'>,
) => SQLiteTableExtraConfigValue[];
type Created<
  Name extends string,
  Schema extends string | undefined,
  C extends Columns,
> = EncryptedSQLiteTable<{
  name: Name;
  schema: Schema;
  columns: BuildColumns<Name, C, 'sqlite'>;
  dialect: 'sqlite';
}>;

/**
 * Creates a table like `sqliteTable`, and adds an index column for each searchable column. Throws EncryptedColumnError
 * for an invalid definition.
 */
export function encryptedTable<Name extends string, C extends Columns>(
  name: Name,
  columns: C,
  extraConfig?: ExtraConfig<Name, C>,
): Created<Name, undefined, C> {
  const table = sqliteTable(
    name,
    pairs(name, columns),
    indexing((): Table => table, extraConfig, check),
  );
  return table as Created<Name, undefined, C>;
}

function pairs<C extends Columns>(table: string, columns: C): C {
  const all = withIndexColumns(table, columns, ({ name, isUnique, uniqueName, isList }) => {
    const index = new IndexSQLiteColumnBuilder(name, isList);
    return isUnique ? index.unique(uniqueName) : index;
  });
  return all as C;
}
