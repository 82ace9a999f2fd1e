// What `@eaas/migrate` must know of a table: the encrypted database tells it under the name `$encryptedTable`.
import { type SQL, sql, Table } from 'drizzle-orm';
import type { TableSource } from '@eaas/sdk/internal';
import { type Access, storedName } from './access.ts';
import { refuse } from './error.ts';
import { layoutOf, schemaOf } from './table.ts';

export type Dialect = 'postgresql' | 'mysql' | 'sqlite';

export type Source = TableSource<{
  readonly dialect: Dialect;
  template(strings: TemplateStringsArray, parameters: readonly string[]): unknown;
}>;

export function tableSource(database: object, dialect: Dialect, { tableOf }: Access, table: Table): Source {
  const [first] = table instanceof Table ? layoutOf(table).columns : [];
  if (!first) {
    const remedy = 'pass a table that `encryptedTable` created';
    return refuse('definition', {}, 'a migration needs a table with encrypted columns', remedy);
  }
  const { id, bound = first } = layoutOf(table);
  const run = database as Readonly<Record<string, (statement: SQL) => unknown>>;
  return {
    ...tableOf(table).source,
    database: {
      dialect,
      template: (strings: TemplateStringsArray, parameters: readonly string[]) =>
        run[dialect === 'sqlite' ? 'all' : 'execute']?.(sql(strings, ...parameters)),
    },
    schema: schemaOf(table),
    id(): string {
      if (id) return storedName(database, id.column);
      const problem =
        'a migration reads rows in the order of a unique column, but the table has no primary key of one column';
      return refuse('row_unknown', bound.encryption, problem, 'name a unique column as `id`');
    },
  };
}
