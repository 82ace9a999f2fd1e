// What `@eaas/migrate` must know of a table: the encrypted database tells it under the name `$encryptedTable`.
import { type SQL, sql, Table } from 'drizzle-orm';
import { type EncryptionOptions, fieldsOf, keyIdsOf, storedName } from './access.ts';
import { refuse } from './error.ts';
import { layoutOf, schemaOf } from './table.ts';

export type Dialect = 'postgresql' | 'mysql' | 'sqlite';

export function tableSource(
  database: object,
  dialect: Dialect,
  { index, keyIds }: EncryptionOptions,
  table: Table,
) {
  const [first] = table instanceof Table ? layoutOf(table).columns : [];
  if (!first) {
    const remedy = 'pass a table that `encryptedTable` created';
    return refuse('schema', {}, 'a migration needs a table with encrypted columns', remedy);
  }
  const { table: name } = first.encryption;
  const primary = layoutOf(table).id?.column;
  const run = database as Readonly<Record<string, (statement: SQL) => unknown>>;
  return {
    database: {
      dialect,
      template: (strings: TemplateStringsArray, parameters: readonly string[]) =>
        run[dialect === 'sqlite' ? 'all' : 'execute']?.(sql(strings, ...parameters)),
    },
    fields: fieldsOf(table),
    name,
    schema: schemaOf(table),
    index,
    keyIds: keyIdsOf(name, keyIds),
    id(): string {
      if (primary) return storedName(database, primary);
      return refuse(
        'row_unknown',
        layoutOf(table).bound?.encryption ?? first.encryption,
        'a migration reads rows in the order of a unique column, but the table has no primary key of one column',
        'name a unique column as `id`',
      );
    },
  };
}
