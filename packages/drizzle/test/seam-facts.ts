// What `@eaas/drizzle` hooks in Drizzle, and Drizzle does not document, as facts of one installed version.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// oxlint-disable-next-line typescript/no-explicit-any
type Any = any;
export type Facts = Readonly<Record<string, unknown>>;

const dialects = { pg: 'pgTable', mysql: 'mysqlTable', sqlite: 'sqliteTable' } as const;
const classOf = (value: Any): string => value?.constructor?.name ?? typeof value;
const has = (value: Any, names: string): string[] => names.split(' ').filter((name) => name in Object(value));
const said = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    return `throws ${(error as Error).message.split('\n')[0]}`;
  }
};

/** The facts of the Drizzle that a file in this folder would import. One that cannot be found out is an error as text. */
export function factsOf(folder: string): Facts {
  const load = createRequire(join(folder, 'index.js')) as ((name: string) => Any) & {
    resolve(name: string): string;
  };
  const core = load('drizzle-orm');
  const { Column, eq, inArray, isNull, ne, not, Param, SQL, sql, StringChunk } = core;
  const kindsIn = (chunk: Any): unknown =>
    Array.isArray(chunk)
      ? chunk.map(kindsIn)
      : core.is(chunk, SQL)
        ? chunk.queryChunks.map(kindsIn)
        : shown(chunk);
  const shown = (chunk: Any): unknown => (core.is(chunk, StringChunk) ? chunk.value : classOf(chunk));
  class Own extends SQL {}
  const facts: Record<string, unknown> = {
    'drivers.effect': readdirSync(dirname(load.resolve('drizzle-orm'))).filter((name) =>
      /^effect-[a-z\d]+$/.test(name),
    ),
    'sql.instanceof': sql`x` instanceof Own,
    'sql.stringChunk': typeof new StringChunk('x').value,
    'sql.param': Object.keys(new Param(1, undefined)),
    exports: has(
      core,
      'relations getOperators defineRelations getColumnTable getTableColumns getTableUniqueName is Subquery WithSubquery Name',
    ),
  };
  for (const [dialect, tableName] of Object.entries(dialects)) {
    const module = load(`drizzle-orm/${dialect}-core`);
    const table = module[tableName]('t', {
      id: module.text().primaryKey(),
      name: module.text(),
      n: module.int?.() ?? module.integer(),
    });
    const { drizzle } = load(`drizzle-orm/${dialect}-proxy`);
    const db = said(() => drizzle(async () => ({ rows: [] }), { schema: { table } })) as Any;
    const builders: Readonly<Record<string, () => Any>> = {
      select: () => db.select().from(table),
      insert: () => db.insert(table).values({ id: '1', name: 'a' }),
      update: () => db.update(table).set({ name: 'a' }),
      delete: () => db.delete(table),
    };
    const add = (name: string, fact: () => unknown): void => void (facts[`${dialect}.${name}`] = said(fact));
    for (const [name, make] of Object.entries(builders)) {
      add(`${name}.config`, () => Object.keys(make().config).sort());
      add(`${name}.runs`, () =>
        has(make(), '_prepare prepare execute run all get then executeRaw toSQL getSQL iterator values sync'),
      );
      add(`${name}.getSQL`, () => make().getSQL.length);
    }
    add('insert.into', () => db.insert.length);
    add('insert.chunks', () => kindsIn(builders['insert']?.().getSQL()));
    if (dialect !== 'mysql')
      add('returning', () => Object.keys(builders['insert']?.().returning().config.returning[0]).sort());
    add('dialect', () => {
      const names = new Set<string>();
      for (let at = db.dialect; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
        for (const each of Object.getOwnPropertyNames(at))
          if (/^build|^sqlToQuery|^casing/.test(each)) names.add(each);
      return [...names].sort();
    });
    add('database', () =>
      has(
        db,
        'select selectDistinct insert update delete with $with $count query transaction batch execute run all get ' +
          'values session dialect resultKind',
      ),
    );
    add('database._', () => Object.keys(db._).sort());
    add('query', () => Object.keys(db.query ?? {}));
    add('column.members', () =>
      has(table.name, 'table name dataType columnType mapFromDriverValue mapToDriverValue getSQLType'),
    );
    add('column.own', () =>
      ['mapToDriverValue', 'mapFromDriverValue', 'table'].filter((name) => Object.hasOwn(table.name, name)),
    );
    add('column.dataType', () => [table.id.dataType, table.n.dataType]);
    add('column.class', () => table.name instanceof Column);
    add('eq', () => kindsIn(eq(table.name, 'a')));
    add('ne', () => kindsIn(ne(table.name, 'a')));
    add('inArray', () => kindsIn(inArray(table.name, ['a'])));
    add('isNull', () => kindsIn(isNull(table.name)));
    add('not', () => kindsIn(not(eq(table.name, 'a'))));
    add('prepareQuery', () => db.session.prepareQuery.length);
  }
  return facts;
}
