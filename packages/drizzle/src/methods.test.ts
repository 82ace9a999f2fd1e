import { eq, sql } from 'drizzle-orm';
import { drizzle as mysqlProxy } from 'drizzle-orm/mysql-proxy';
import { varchar } from 'drizzle-orm/mysql-core';
import { drizzle as pgProxy } from 'drizzle-orm/pg-proxy';
import { text } from 'drizzle-orm/pg-core';
import { drizzle as sqliteProxy } from 'drizzle-orm/sqlite-proxy';
import { text as sqliteText } from 'drizzle-orm/sqlite-core';
import { field } from '@eaas/sdk/fields';
import { createClient } from '@eaas/test-kit/orms/client';
import { describe, expect, test } from 'vitest';
import { returnedColumns } from '../test/returned-columns.ts';
import * as mysql from './mysql.ts';
import * as pg from './pg.ts';
import * as sqlite from './sqlite.ts';

// Every method of Drizzle's objects and of the encrypted database, and what the package does about it. A method of a newer
// Drizzle is in none of these lists: find out whether it runs or builds a statement before you add it.

const list = (names: string): string[] => names.trim().split(/\s+/);

/** Runs a statement, which is settled, and opens its result. */
const runs = list(`
  execute run all get then catch finally
`);
/** Builds a statement, or returns rows that Drizzle did not map: refused if values are late. */
const builds = list(`
  prepare _prepare toSQL values iterator sync executeRaw
`);
/** Returns a statement that is settled, or what makes one. */
const makes = list(`
  select selectDistinct selectDistinctOn insert update delete with $with as from set findFirst findMany
  $count transaction batch
`);
/** Returns the builder, or the SQL of the statement for another statement, over which the walk goes. */
const changes = list(`
  $dynamic $withCache setToken where having groupBy orderBy limit offset for innerJoin leftJoin rightJoin
  fullJoin crossJoin innerJoinLateral leftJoinLateral crossJoinLateral createJoin union unionAll
  intersect intersectAll except exceptAll createSetOperator addSetOperators returning $returningId
  onConflictDoNothing ignore onConflictDoUpdate onDuplicateKeyUpdate overridingSystemValue getSQL
`);
/** Knows no values, or only calls methods above. `_toSQL` and `_getQuery` build without sending. */
const others = list(`
  getSelectedFields getUsedTables getTableLikeFields createIterator _toSQL _getQuery
  refreshMaterializedView append buildQueryFromSourceParams if inlineParams mapInlineParam mapWith
  toQuery onError revealed $encryptedTable
`);
const judged = new Set([...runs, ...builds, ...makes, ...changes, ...others]);

const { eaas, index } = await createClient();
const columnsOf = (dialect: typeof pg | typeof mysql | typeof sqlite, id: object) => ({
  id,
  name: (dialect.encrypted as typeof pg.encrypted)(field.text().searchable()),
});
const tables = {
  pg: pg.encryptedTable('people', columnsOf(pg, text().primaryKey()) as never),
  mysql: mysql.encryptedTable('people', columnsOf(mysql, varchar({ length: 9 }).primaryKey()) as never),
  sqlite: sqlite.encryptedTable('people', columnsOf(sqlite, sqliteText().primaryKey()) as never),
};
const [stored] = await pg
  .fieldsOf(tables.pg)
  .for(eaas, { index })
  .encryptRows('people', [{ id: 'a', name: 'Ada Lovelace' }], () => 'a');
const sent: unknown[] = [];

/** A driver that answers each statement with one row, in the order of the columns that it names. */
const answer = (statement: string, params: unknown[]) => {
  sent.push(...params);
  return returnedColumns(statement).map((name) => (stored as Record<string, unknown>)[name]);
};

interface Statement {
  [method: string]: (...given: unknown[]) => unknown;
}
const options = { index };
const databases = {
  pg: pg.withEncryption(
    pgProxy(async (statement, params) => ({ rows: [answer(statement, params)] }), {
      schema: { people: tables.pg },
    }),
    eaas,
    options,
  ),
  mysql: mysql.withEncryption(
    mysqlProxy(async (statement, params) => ({ rows: [answer(statement, params)] }), {
      schema: { people: tables.mysql },
    }),
    eaas,
    options,
  ),
  sqlite: sqlite.withEncryption(
    sqliteProxy(
      async (statement, params, method) => {
        const row = answer(statement, params);
        return { rows: method === 'get' ? row : [row] };
      },
      async (queries) => queries.map(({ sql, params }) => ({ rows: [answer(sql, params)] })),
      { schema: { people: tables.sqlite } },
    ),
    eaas,
    options,
  ),
};

function methodsOf(object: object): string[] {
  const names = new Set<string>();
  for (let of: object = object; of !== Object.prototype; of = Object.getPrototypeOf(of) as object) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(of))) {
      if (name !== 'constructor' && ('get' in property || typeof property.value === 'function')) {
        names.add(name);
      }
    }
  }
  return [...names];
}

describe.each(['pg', 'mysql', 'sqlite'] as const)('the methods of Drizzle: %s', (dialect) => {
  const db = databases[dialect] as unknown as Record<string, (...given: unknown[]) => Statement>;
  const people = tables[dialect] as unknown as Record<string, never>;
  const where = (made: unknown) =>
    (made as Statement)['where']?.(eq(people['name'] as never, 'Ada Lovelace')) as Statement;
  const find = Reflect.get(databases[dialect], 'query') as unknown as Record<string, Statement>;
  const statements: Record<string, () => Statement> = {
    select: () => where(db['select']?.()['from']?.(people)),
    insert: () => db['insert']?.(people)['values']?.({ id: 'a', name: 'Ada Lovelace' }) as Statement,
    update: () => db['update']?.(people)['set']?.({ name: 'Ada Lovelace' }) as Statement,
    delete: () => where(db['delete']?.(people)),
    relational: () => find['people']?.['findMany']?.({}) as Statement,
  };
  const makers = {
    db,
    with: db['with']?.() as Statement,
    selectBuilder: db['select']?.() as Statement,
    insertBuilder: db['insert']?.(people) as Statement,
    updateBuilder: db['update']?.(people) as Statement,
    query: find['people'] as Statement,
    count: db['$count']?.(people) as Statement,
    $with: db['$with']?.('x') as Statement,
  };

  test.each([
    ...Object.entries(makers),
    ...Object.entries(statements).map(([name, make]) => [name, make()] as const),
  ])('each of %s is judged', (_, object) => {
    expect(methodsOf(object).filter((name) => !judged.has(name))).toEqual([]);
  });

  test.each(Object.keys(statements))(
    '%s: each that runs it sends no value, and returns plain ones',
    async (name) => {
      const make = () => {
        const statement = statements[name]?.() as Statement;
        return 'returning' in statement ? (statement['returning']?.() as Statement) : statement;
      };
      const own = methodsOf(make()).filter((method) => /^(?:execute|run|all|get)$/.test(method));
      expect(own).toContain('execute');
      const isRead = /select|relational/.test(name) || 'returning' in make();
      const results: unknown[] = [];
      // `run` returns what the driver returns.
      const refused = isRead ? own.filter((method): boolean => method === 'run') : [];
      for (const method of refused) {
        await expect(make()[method]?.()).rejects.toMatchObject({ code: 'synchronous' });
      }
      for (const method of own.filter((each) => !refused.includes(each))) {
        const result = await make()[method]?.();
        if (isRead) results.push([result].flat());
      }
      expect(results).toEqual(results.map(() => [{ id: 'a', name: 'Ada Lovelace' }]));
      // No base64 has a space.
      expect(JSON.stringify(sent)).not.toContain('Ada Lovelace');
    },
  );

  test.each(Object.keys(statements))('%s: each that builds a statement at once is refused', (name) => {
    const make = statements[name] as () => Statement;
    for (const method of methodsOf(make()).filter((method) => builds.includes(method))) {
      expect(() => make()[method]?.('name')).toThrow(expect.objectContaining({ code: 'synchronous' }));
    }
  });
});

test('the migrators of libsql and D1 prepare what `run` returned', () => {
  const migration = databases.sqlite.run(sql`create table t (id text)`) as unknown as Statement;
  expect(migration['_prepare']?.()).toHaveProperty('getQuery');
});
