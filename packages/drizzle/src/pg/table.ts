import type { BuildColumns, BuildExtraConfigColumns, Table } from 'drizzle-orm';
import {
  check,
  type PgColumnBuilderBase,
  type PgSchema,
  type PgTable,
  pgTable,
  type PgTableExtraConfigValue,
  type TableConfig,
} from 'drizzle-orm/pg-core';
import { withIndexColumns } from '../table.ts';
import { indexing } from '../table-config.ts';
import type { Accessible } from '../types.ts';
import { IndexPgColumnBuilder } from './columns.ts';

/**
 * A table with encrypted columns. In TypeScript, `like`, `gt` and `asc` do not accept an encrypted column, because its
 * type is not a Drizzle column type.
 */
export type EncryptedPgTable<T extends TableConfig> = PgTable<T> & Accessible<T['columns']>;

type Columns = Record<string, PgColumnBuilderBase>;
type ExtraConfig<Name extends string, C extends Columns> = (
  self: BuildExtraConfigColumns<Name, C, 'pg'>,
) => PgTableExtraConfigValue[];
type Created<Name extends string, Schema extends string | undefined, C extends Columns> = EncryptedPgTable<{
  name: Name;
  schema: Schema;
  columns: BuildColumns<Name, C, 'pg'>;
  dialect: 'pg';
}>;

/**
 * Creates a table like `pgTable`, and adds an index column for each searchable column. Throws EncryptedColumnError for
 * an invalid definition.
 */
export function encryptedTable<Name extends string, C extends Columns>(
  name: Name,
  columns: C,
  extraConfig?: ExtraConfig<Name, C>,
): Created<Name, undefined, C> {
  const table = pgTable(
    name,
    pairs(name, columns),
    indexing((): Table => table, extraConfig, check),
  );
  return table as Created<Name, undefined, C>;
}

/**
 * Creates a table with encrypted columns in a schema, like `schema.table`. Throws EncryptedColumnError for an invalid
 * definition.
 */
export function encryptedTableIn<Schema extends string, Name extends string, C extends Columns>(
  schema: PgSchema<Schema>,
  name: Name,
  columns: C,
  extraConfig?: ExtraConfig<Name, C>,
): Created<Name, Schema, C> {
  const table = schema.table(
    name,
    pairs(name, columns),
    indexing((): Table => table, extraConfig, check),
  );
  return table as Created<Name, Schema, C>;
}

function pairs<C extends Columns>(table: string, columns: C): C {
  const all = withIndexColumns(table, columns, ({ name, isUnique, uniqueName, isList }) => {
    const index = new IndexPgColumnBuilder(name, isList);
    return isUnique ? index.unique(uniqueName) : index;
  });
  return all as C;
}
