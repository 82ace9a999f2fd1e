import { eq } from 'drizzle-orm';
import { drizzle as mysqlProxy } from 'drizzle-orm/mysql-proxy';
import { varchar } from 'drizzle-orm/mysql-core';
import { drizzle as pgProxy } from 'drizzle-orm/pg-proxy';
import { text } from 'drizzle-orm/pg-core';
import { drizzle as sqliteProxy } from 'drizzle-orm/sqlite-proxy';
import { text as sqliteText } from 'drizzle-orm/sqlite-core';
import { EaasClient } from '@eaas/sdk';
import { createIndexKey, field } from '@eaas/sdk/fields';
import { createTestService } from '@eaas/local';
import { describe, expect, test } from 'vitest';
import { returnedColumns } from '../test/returned-columns.ts';
import * as mysql from './mysql.ts';
import * as pg from './pg.ts';
import * as sqlite from './sqlite.ts';

// The methods of Drizzle's statements that run them, and those that build them at once, which cannot wait for values.

const builds = 'prepare _prepare toSQL values iterator sync executeRaw'.split(' ');

const service = createTestService();
const eaas = new EaasClient({ ...service, keyId: service.createKey('people').key_id });
const index = await createIndexKey(eaas);
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
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(of)))
      if (name !== 'constructor' && ('get' in property || typeof property.value === 'function'))
        names.add(name);
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
      for (const method of refused)
        await expect(make()[method]?.()).rejects.toMatchObject({ code: 'synchronous' });
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
    for (const method of methodsOf(make()).filter((method) => builds.includes(method)))
      expect(() => make()[method]?.('name')).toThrow(expect.objectContaining({ code: 'synchronous' }));
  });
});
