import { type Column, type SQL, sql, type Table } from 'drizzle-orm';
import type { Tables } from '@eaas/sdk/fields';
import {
  encryptExisting,
  type EncryptExistingOptions,
  type EncryptExistingResult,
  type SqlDialect,
} from '@eaas/sdk/tables';
import { unencrypted } from './database.ts';
import { boundColumnOf, encryptedColumns, idColumnOf } from './encryption.ts';
import { refuse } from './error.ts';
import { fieldsOf } from './records.ts';

/** Options of `encryptExisting`, for a table that `encryptedTable` created. */
export type ExistingOptions = Omit<
  EncryptExistingOptions<Tables, string>,
  'fields' | 'schema' | 'table' | 'columns' | 'keyIds' | 'onPlaintext' | 'id'
> & {
  /** The ids of the keys that encrypt the table (`users`) or a column (`users.email`). */
  readonly keyIds?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
  /** The name of a unique column in the database, if the table has no primary key of one column. */
  readonly id?: string | undefined;
};

interface Database {
  readonly dialect?: { readonly casing?: { getColumnCasing(column: Column): string } };
}

/** Makes `encryptExisting` for a dialect, whose databases run raw SQL with `method`. */
export function encryptExistingIn(dialect: SqlDialect, method: 'execute' | 'all') {
  return async (database: object, table: Table, options: ExistingOptions): Promise<EncryptExistingResult> => {
    const [first] = encryptedColumns(table);
    if (!first) {
      const remedy = 'pass a table that `encryptedTable` created';
      return refuse('schema', {}, '`encryptExisting` needs a table with encrypted columns', remedy);
    }
    const { casing } = (database as Database).dialect ?? {};
    const primary = idColumnOf(table)?.column;
    const id = options.id ?? (primary && (casing?.getColumnCasing(primary) ?? primary.name));
    if (id === undefined) {
      return refuse(
        'row_unknown',
        boundColumnOf(table)?.encryption ?? first.encryption,
        '`encryptExisting` reads rows in the order of a unique column, but the table has no primary key of one column',
        'name a unique column as `id`',
      );
    }
    const schema: unknown = Reflect.get(table, Symbol.for('drizzle:Schema'));
    const run = unencrypted(database) as Readonly<Record<string, (statement: SQL) => unknown>>;
    return encryptExisting(
      { dialect, template: (strings, parameters) => run[method]?.(sql(strings, ...parameters)) },
      first.encryption.table,
      { ...options, id, fields: fieldsOf(table), schema: typeof schema === 'string' ? schema : undefined },
    );
  };
}
