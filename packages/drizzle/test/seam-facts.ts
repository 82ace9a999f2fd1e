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
  let hasRun = false;
  const execute = async () => {
    hasRun = true;
  };
  Object.assign(Object.create(core.QueryPromise.prototype), { execute }).then(String);
  const facts: Record<string, unknown> = {
    'drivers.effect': readdirSync(dirname(load.resolve('drizzle-orm'))).filter((name) =>
      /^effect-[a-z\d]+$/.test(name),
    ),
    'sql.instanceof': sql`x` instanceof Own,
    'sql.stringChunk': typeof new StringChunk('x').value,
    'sql.param': Object.keys(new Param(1, undefined)),
    'sql.aliased': [core.is(sql`x`.as('a'), SQL.Aliased), ...Object.keys(sql`x`.as('a'))],
    'queryPromise.execute': hasRun,
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
    const isPg = dialect === 'pg';
    const kinds = module[tableName]('kinds', {
      text: module.text(),
      own: module.text().$defaultFn(() => 'a'),
      given: module.text().default('a'),
      serial: module.serial?.() ?? module.integer(),
      ...(isPg && { n: module.integer().generatedAlwaysAsIdentity(), e: module.pgEnum('e', ['a'])() }),
    });
    const { drizzle } = load(`drizzle-orm/${dialect}-proxy`);
    const db = said(() => drizzle(async () => ({ rows: [] }), { schema: { table } })) as Any;
    const builders: Readonly<Record<string, () => Any>> = {
      select: () => db.select().from(table),
      insert: () => db.insert(table).values({ id: '1', name: 'a' }),
      update: () => db.update(table).set({ name: 'a' }),
      delete: () => db.delete(table),
    };
    const add = (name: string, fact: () => unknown): void => {
      facts[`${dialect}.${name}`] = said(fact);
    };
    for (const [name, make] of Object.entries(builders)) {
      add(`${name}.config`, () => Object.keys(make().config).sort());
      add(`${name}.runs`, () =>
        has(make(), '_prepare prepare execute run all get then executeRaw toSQL getSQL iterator values sync'),
      );
      add(`${name}.getSQL`, () => make().getSQL.length);
    }
    add('insert.into', () => db.insert.length);
    add('insert.chunks', () => kindsIn(builders['insert']?.().getSQL()));
    if (dialect !== 'mysql') {
      add('returning', () => Object.keys(builders['insert']?.().returning().config.returning[0]).sort());
    }
    if (isPg) {
      add('returningFields', () => Object.keys(builders['insert']?.().returning().config.returningFields));
      add('authToken', () => builders['select']?.().setToken('a').authToken);
      add('PgDialect', () => new module.PgDialect().sqlToQuery(isNull(table.name), 'indexes').sql);
      add('generatedIdentity', () => typeof kinds.n.generatedIdentity);
    }
    const name = sql`x`.as('a');
    const inner = (): Any => db.select({ name }).from(table).as('inner');
    add('select.fields', () => has(builders['select']?.(), 'getSelectedFields'));
    add('subquery._', () => [...Object.keys(inner()._).sort(), inner().name.isSelectionField]);
    add('relation', () => {
      const fields = { fields: [table.name], references: [table.id] };
      const own = core.relations(table, ({ one }: Any) => ({ self: one(table, fields) }));
      const { relations } = drizzle(execute, { schema: { table, own } })._.schema.table;
      return classOf(relations.self.referencedTable);
    });
    const symbols = 'OriginalName Schema Name Columns IsDrizzleTable ExtraConfigBuilder ExtraConfigColumns';
    add('table.symbols', () =>
      symbols.split(' ').filter((symbol) => Symbol.for(`drizzle:${symbol}`) in table),
    );
    add('table.constraints', () => {
      const columns = { id: module.text().primaryKey(), name: module.text() };
      const constrained = module[tableName]('c', columns, (self: Any) => [
        module.unique('both').on(self.id, self.name),
        module.uniqueIndex('one').on(self.name),
      ]);
      const part = (symbol: string) => constrained[Symbol.for(`drizzle:ExtraConfig${symbol}`)];
      const made = Object.values<Any>(part('Builder')(part('Columns')));
      const differing = made.map(({ columns: own, config }) => own ?? (config?.unique && config.columns));
      return differing.map((all: Any) => all.map((column: Any) => column.name));
    });
    add('dialect', () => {
      const names = new Set<string>();
      for (let at = db.dialect; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
        for (const each of Object.getOwnPropertyNames(at)) {
          if (/^build|^sqlToQuery|^casing/.test(each)) names.add(each);
        }
      }
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
    add('column.entityKind', () => table.name.constructor[core.entityKind]);
    add('column.columnType', () => Object.values<Any>(kinds).map((each) => each.columnType));
    add('column.default', () => [kinds.own.defaultFn?.(), kinds.given.default]);
    add('column.hasDefault', () => Object.values<Any>(kinds).map((each) => each.hasDefault));
    add('eq', () => kindsIn(eq(table.name, 'a')));
    add('ne', () => kindsIn(ne(table.name, 'a')));
    add('inArray', () => kindsIn(inArray(table.name, ['a'])));
    add('notInArray', () => kindsIn(core.notInArray(table.name, ['a'])));
    add('isNull', () => kindsIn(isNull(table.name)));
    add('isNotNull', () => kindsIn(core.isNotNull(table.name)));
    add('count', () => kindsIn(core.count(table.name)));
    for (const each of ['and', 'or']) {
      add(each, () => kindsIn(core[each](isNull(table.name), isNull(table.id))));
    }
    for (const each of ['exists', 'notExists']) add(each, () => kindsIn(core[each](builders['select']?.())));
    add('not', () => kindsIn(not(eq(table.name, 'a'))));
    add('prepareQuery', () => db.session.prepareQuery.length);
  }
  return facts;
}
