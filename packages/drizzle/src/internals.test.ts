import { getTableColumns } from 'drizzle-orm';
import { drizzle as mysql } from 'drizzle-orm/mysql-proxy';
import { mysqlTable, int as mysqlInt } from 'drizzle-orm/mysql-core';
import { drizzle as pg } from 'drizzle-orm/pg-proxy';
import { alias, integer, pgTable } from 'drizzle-orm/pg-core';
import { drizzle as sqlite } from 'drizzle-orm/sqlite-proxy';
import { int as sqliteInt, sqliteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, test } from 'vitest';

// Drizzle documents none of what follows. If a new version moves it, these tests say which part, and the statements'
// tests say what broke.

interface Builder {
  readonly config: Readonly<Record<string, unknown>>;
  readonly session: Readonly<Record<string, unknown>>;
  readonly dialect: { readonly casing?: { readonly getColumnCasing?: unknown } };
}

const nothing = async () => ({ rows: [] });
const tables = {
  pg: pgTable('t', { id: integer().primaryKey() }),
  mysql: mysqlTable('t', { id: mysqlInt().primaryKey() }),
  sqlite: sqliteTable('t', { id: sqliteInt().primaryKey() }),
};
const databases = {
  pg: pg(nothing, { schema: { t: tables.pg } }),
  mysql: mysql(nothing, { schema: { t: tables.mysql } }),
  sqlite: sqlite(nothing, { schema: { t: tables.sqlite } }),
};

describe.each(['pg', 'mysql', 'sqlite'] as const)('what the package uses of Drizzle: %s', (dialect) => {
  const db = databases[dialect] as unknown as {
    select(): { from(source: unknown): unknown };
    insert(into: unknown): { values(row: object): unknown };
    update(into: unknown): { set(row: object): unknown };
    delete(from: unknown): unknown;
    readonly query: { readonly t: { findMany(): Readonly<Record<string, unknown>> } };
    readonly _: { readonly fullSchema?: unknown };
  };
  const table = tables[dialect];
  const select = () => db.select().from(table);
  const insert = () => db.insert(table).values({ id: 1 });
  const update = () => db.update(table).set({ id: 2 });
  const statements = { select, insert, update, delete: () => db.delete(table) };

  test.each(Object.keys(statements) as (keyof typeof statements)[])(
    '%s: the config of the builder, its session and the names of columns',
    (name) => {
      const { config, session, dialect: own } = statements[name]() as Builder;
      expect(config).toHaveProperty('table', table);
      expect(session['prepareQuery']).toBeTypeOf('function');
      expect(own.casing?.getColumnCasing).toBeTypeOf('function');
    },
  );

  test('select: the fields, and one method that every execution passes', () => {
    const builder = select() as Builder & { prepare: unknown };
    expect(Object.keys(builder.config['fields'] as object)).toEqual(['id']);
    expect(builder.prepare).toBeTypeOf('function');
  });

  test('a relational query: its config and the schema', () => {
    const query = db.query.t.findMany();
    expect(query).toMatchObject({
      config: {},
      tableConfig: { tsName: 't' },
      schema: {},
      tableNamesMap: {},
    });
    expect(db._.fullSchema).toHaveProperty('t', table);
  });
});

test('a table keeps its columns under a symbol', () => {
  expect(Reflect.get(tables.pg, Symbol.for('drizzle:Columns'))).toBe(getTableColumns(tables.pg));
});

test('an alias keeps the name of its table', () => {
  expect(Reflect.get(alias(tables.pg, 'other'), Symbol.for('drizzle:OriginalName'))).toBe('t');
});
