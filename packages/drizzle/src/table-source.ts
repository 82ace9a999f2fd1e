// What `@eaas/migrate` must know of a table: the encrypted database tells it under the name `$encryptedTable`.
import { type Column, type SQL, sql, Table } from 'drizzle-orm';
import { boundColumnOf, encryptedColumns, idColumnOf } from './encryption.ts';
import { refuse } from './error.ts';
import { type EncryptedOptions, fieldsOf } from './records.ts';

/** A dialect of SQL, and the method with which its databases of Drizzle run raw SQL. */
export interface Dialect {
  readonly dialect: 'postgresql' | 'mysql' | 'sqlite';
  readonly method: 'execute' | 'all';
}

interface Database {
  readonly dialect?: { readonly casing?: { getColumnCasing(column: Column): string } };
}

export function tableSource(
  database: object,
  { dialect, method }: Dialect,
  { index, keyIds = {} }: EncryptedOptions,
  table: Table,
) {
  const [first] = table instanceof Table ? encryptedColumns(table) : [];
  if (!first) {
    const remedy = 'pass a table with columns of `@eaas/drizzle`';
    return refuse('schema', {}, '`migrate` needs a table with encrypted columns', remedy);
  }
  const { table: name } = first.encryption;
  const primary = idColumnOf(table)?.column;
  const { casing } = (database as Database).dialect ?? {};
  const schema: unknown = Reflect.get(table, Symbol.for('drizzle:Schema'));
  const run = database as Readonly<Record<string, (statement: SQL) => unknown>>;
  const places = Object.entries(keyIds).filter(([place]) => place === name || place.startsWith(`${name}.`));
  return {
    database: {
      dialect,
      template: (strings: TemplateStringsArray, parameters: readonly string[]) =>
        run[method]?.(sql(strings, ...parameters)),
    },
    fields: fieldsOf(table),
    name,
    schema: typeof schema === 'string' ? schema : undefined,
    index,
    keyIds: Object.fromEntries(places),
    id(): string {
      if (primary) return casing?.getColumnCasing(primary) ?? primary.name;
      return refuse(
        'row_unknown',
        boundColumnOf(table)?.encryption ?? first.encryption,
        '`migrate` reads rows in the order of a unique column, but the table has no primary key of one column',
        'name a unique column as `id`',
      );
    },
  };
}
