import type { BuildColumns, Table } from 'drizzle-orm';
import {
  check,
  type MySqlColumnBuilderBase,
  type MySqlTable,
  mysqlTable,
  type MySqlTableExtraConfigValue,
  type TableConfig,
} from 'drizzle-orm/mysql-core';
import { withIndexColumns } from '../table.ts';
import { indexing } from '../table-config.ts';
import type { Accessible } from '../types.ts';
import { IndexMySqlColumnBuilder } from './columns.ts';

/**
 * A table with encrypted columns. In TypeScript, `like`, `gt` and `asc` do not accept an encrypted column, because its
 * type is not a Drizzle column type.
 */
export type EncryptedMySqlTable<T extends TableConfig> = MySqlTable<T> & Accessible<T['columns']>;

type Columns = Record<string, MySqlColumnBuilderBase>;
type ExtraConfig<Name extends string, C extends Columns> = (
  self: BuildColumns<Name, C, 'mysql'>,
) => MySqlTableExtraConfigValue[];
type Created<
  Name extends string,
  Schema extends string | undefined,
  C extends Columns,
> = EncryptedMySqlTable<{
  name: Name;
  schema: Schema;
  columns: BuildColumns<Name, C, 'mysql'>;
  dialect: 'mysql';
}>;

/**
 * Creates a table like `mysqlTable`, and adds an index column for each searchable column. Throws EncryptedColumnError
 * for an invalid definition.
 */
export function encryptedTable<Name extends string, C extends Columns>(
  name: Name,
  columns: C,
  extraConfig?: ExtraConfig<Name, C>,
): Created<Name, undefined, C> {
  const table = mysqlTable(
    name,
    pairs(name, columns),
    indexing((): Table => table, extraConfig, check),
  );
  return table as Created<Name, undefined, C>;
}

function pairs<C extends Columns>(table: string, columns: C): C {
  const all = withIndexColumns(table, columns, ({ name, isUnique, uniqueName, isList }) => {
    const index = new IndexMySqlColumnBuilder(name, isList);
    return isUnique ? index.unique(uniqueName) : index;
  });
  return all as C;
}
