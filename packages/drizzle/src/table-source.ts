// What `@eaas/migrate` must know of a table: the encrypted database tells it under the name `$encryptedTable`.
import { type SQL, sql, Table } from 'drizzle-orm';
import type { TableSource } from '@eaas/sdk/internal';
import { type Access, storedName } from './access.ts';
import { refuse } from './error.ts';
import { layoutOf, schemaOf } from './table.ts';

export type Dialect = 'postgresql' | 'mysql' | 'sqlite';

export type Source = TableSource<{
  readonly dialect: Dialect;
  readonly mark: string;
  query(statement: string, parameters: readonly string[]): unknown;
}>;

/** What no name in a database can have in it. */
const mark = '\0';

export function tableSource(database: object, dialect: Dialect, { tableOf }: Access, table: Table): Source {
  const [first] = table instanceof Table ? layoutOf(table).columns : [];
  if (!first) {
    const remedy = 'pass a table that `encryptedTable` created';
    return refuse('definition', {}, 'a migration needs a table with encrypted columns', remedy);
  }
  const { id } = layoutOf(table);
  const run = database as Readonly<Record<string, (statement: SQL) => unknown>>;
  return {
    ...tableOf(table).source,
    database: {
      dialect,
      mark,
      query(statement, parameters) {
        const strings = statement.split(mark) as readonly string[] as TemplateStringsArray;
        return run[dialect === 'sqlite' ? 'all' : 'execute']?.(sql(strings, ...parameters));
      },
    },
    schema: schemaOf(table),
    id: id && storedName(database, id.column),
  };
}
