import { Column, is, QueryPromise, SQL, StringChunk, Table } from 'drizzle-orm';
import type { FieldsClient, OnError } from '@eaas/sdk/fields';
import { refuse } from './error.ts';
import { hookDelete, type HookContext, hookInsert, hookRelational, hookSelect, hookUpdate } from './hooks.ts';
import { reportRaw } from './plain-fields.ts';
import { type Access, accessFor, type EncryptedOptions, onErrorsOf, type Row } from './records.ts';
import { isSql, textOf } from './chunks.ts';
import { encryptedColumns } from './encryption.ts';
import { rewrite } from './rewrite.ts';
import { type Dialect, tableSource } from './table-source.ts';
import type { BuilderConfig } from './builder.ts';

type Method = (...args: unknown[]) => unknown;

export function encryptedDatabase<Database extends object>(
  database: Database,
  client: FieldsClient,
  options: EncryptedOptions,
  dialect: Dialect,
): Database {
  if (typeof (database as { select?: unknown } | undefined)?.select !== 'function') {
    const problem = '`encrypted` takes (database, eaas, options)';
    refuse('schema', {}, problem, 'pass the database that `drizzle` returned');
  }
  const sourceOf = (table: Table) => tableSource(database, dialect, options, table);
  return wrap(database, { ...accessFor(database, client, options), sourceOf });
}

/** What all databases of one call of `encrypted` share. */
interface Shared extends Access {
  readonly sourceOf: (table: Table) => object;
}

function wrap<Database extends object>(database: Database, access: Shared): Database {
  const original = database as unknown as Readonly<Record<string, Method>>;
  const context: HookContext = { ...access, selectRows };

  async function selectRows(
    table: Table,
    columns: Readonly<Record<string, Column>>,
    { where, withList = [] }: Pick<BuilderConfig, 'where' | 'withList'>,
  ): Promise<Row[]> {
    const of =
      withList.length === 0
        ? original
        : (original['with']?.(...withList) as Readonly<Record<string, Method>>);
    const query = of['select']?.({ ...columns }) as {
      from(table: Table): { where(where: SQL | undefined): unknown };
    };
    return (await query.from(table).where(where)) as Row[];
  }

  const statements = { ...statementsOf(original, context), ...queriesOf(original, context) };
  const others: Readonly<Record<string, unknown>> = {
    transaction: (run: Method, ...config: unknown[]) => {
      requireAsynchronous(database);
      return original['transaction']?.((inner: object) => run(wrap(inner, access)), ...config);
    },
    batch: () =>
      refuse(
        'not_supported',
        {},
        '`batch` runs statements without encryption',
        'await each statement, or use a transaction',
      ),
  };
  const replacements: Readonly<Record<string, unknown>> = { ...statements, ...others };
  const onError = (handler: OnError) => wrap(database, { ...access, onErrorOf: onErrorsOf(handler) });
  const as = (user: string) => wrap(database, { ...access, recordsOf: access.recordsFor(user) });
  return new Proxy(database, {
    get: (target, name) => {
      if (name === 'as') return as;
      if (name === 'onError') return onError;
      if (name === '$encryptedTable') return access.sourceOf;
      if (typeof name === 'string' && name in target && Object.hasOwn(replacements, name))
        return replacements[name];
      return Reflect.get(target, name) as unknown;
    },
  });
}

function statementsOf(of: Readonly<Record<string, Method>>, context: HookContext): Record<string, unknown> {
  const select =
    (name: string): Method =>
    (...args) =>
      hooking(of[name]?.(...args), ['from'], (query) => hookSelect(query, context));
  return {
    select: select('select'),
    selectDistinct: select('selectDistinct'),
    selectDistinctOn: select('selectDistinctOn'),
    insert: (table: unknown) =>
      hooking(of['insert']?.(table), ['values', 'select'], (insert) => hookInsert(insert, context)),
    update: (table: unknown) =>
      hooking(of['update']?.(table), ['set'], (update) => hookUpdate(update, context)),
    delete: (table: unknown) => hookDelete(of['delete']?.(table) as object, context),
    $with: (...args: unknown[]) => {
      const created = of['$with']?.(...args) as { as: Method };
      // In `$with(name).as((builder) => …)`, the builder supports encrypted columns too.
      const hooked = (create: Method) => (builder: object) =>
        withoutRawWrite(create(statementsOf(builder as Readonly<Record<string, Method>>, context)));
      return {
        as: (query: unknown) =>
          created.as(typeof query === 'function' ? hooked(query as Method) : withoutRawWrite(query)),
      };
    },
    with: (...queries: readonly unknown[]) =>
      statementsOf(of['with']?.(...queries) as Readonly<Record<string, Method>>, context),
  };
}

function hooking(builder: unknown, names: readonly string[], hook: (created: object) => object): unknown {
  const methods = builder as Record<string, Method>;
  for (const name of names) {
    const method = methods[name];
    if (method) methods[name] = (...args) => hook(method.apply(builder, args) as object);
  }
  return builder;
}

function queriesOf(of: Readonly<Record<string, Method>>, context: HookContext): Record<string, unknown> {
  const find = (query: unknown): unknown =>
    new Proxy(query as Record<string, Method>, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: readonly unknown[]): object =>
          hookRelational(Reflect.apply(method, target, args) as object, context);
      },
    });
  const rewriting = { ...context, subqueries: new Map(), isRead: true };
  const raw = (name: string) => (statement: unknown) => rawQuery(of, name, statement, context);
  return {
    query: Object.fromEntries(Object.entries(of['query'] ?? {}).map(([name, query]) => [name, find(query)])),
    $count: (source: unknown, filters: unknown) => {
      const plain = of['$count']?.(source, filters) as PromiseLike<number>;
      const count = async (): Promise<number> =>
        (await of['$count']?.(await rewrite(source, rewriting), await rewrite(filters, rewriting))) as number;
      const lazy = new LazyQuery(count);
      // `$count` must remain an SQL object, because an app can also select it as a column of another query.
      const methods = (['then', 'catch', 'finally'] as const).map((name) => [name, lazy[name].bind(lazy)]);
      return Object.assign(plain, Object.fromEntries(methods));
    },
    execute: raw('execute'),
    run: raw('run'),
    all: raw('all'),
    get: raw('get'),
    values: raw('values'),
  };
}

class LazyQuery extends QueryPromise<unknown> {
  readonly execute: () => Promise<unknown>;
  constructor(run: () => Promise<unknown>) {
    super();
    this.execute = run;
  }
}

function rawQuery(
  of: Readonly<Record<string, Method>>,
  name: string,
  statement: unknown,
  access: Access,
): QueryPromise<unknown> {
  return new LazyQuery(async () => {
    const wrapped = isSql(statement) ? withoutRawWrite(statement).getSQL() : statement;
    const context = { ...access, subqueries: new Map(), isRead: false };
    const given = is(wrapped, SQL) ? await rewrite(wrapped, context) : wrapped;
    const result = await of[name]?.(given);
    reportRaw(result, access.report);
    return result;
  });
}

function requireAsynchronous(database: object): void {
  if (!('resultKind' in database) || database.resultKind !== 'sync') return;
  refuse(
    'synchronous',
    {},
    'a transaction of this driver is synchronous, and encryption is asynchronous',
    'use an asynchronous driver, such as libsql',
  );
}

const writing =
  /(?<!\bfor\s+(?:no\s+key\s+)?)\bupdate\b|\b(?:insert|replace)\b(?!\s*\()|\bmerge\b|\bcopy\b|\bload\s+(?:data|xml)\b/i;

/**
 * Returns a statement that an app wrote itself. Throws if it is a `sql` template that writes and has an encrypted table,
 * or a column of one, in it, because its values would be stored as they are. Looks for the words of a write anywhere in the template, also
 * in comments and texts: it is better to refuse a template that only reads.
 */
function withoutRawWrite<Statement>(statement: Statement): Statement {
  if (!is(statement, SQL)) return statement;
  const [table] = encryptedTablesIn(statement);
  if (table === undefined || !writing.test(sqlOf(statement))) return statement;
  return refuse(
    'not_supported',
    { table },
    'raw SQL that writes cannot have an encrypted table in it, because its values would be stored without encryption',
    'use `insert` and `update` of the database, or, if the statement writes no plaintext, `sql.identifier` with the name of the table',
  );
}

function encryptedTablesIn(chunk: unknown): string[] {
  if (is(chunk, SQL)) return chunk.queryChunks.flatMap(encryptedTablesIn);
  if (Array.isArray(chunk)) return chunk.flatMap(encryptedTablesIn);
  const table = is(chunk, Column) ? chunk.table : chunk;
  if (!is(table, Table)) return [];
  return encryptedColumns(table).map(({ encryption }) => encryption.table);
}

/** Returns the SQL with `?` instead of tables, columns and values. */
function sqlOf(chunk: unknown): string {
  if (is(chunk, SQL)) return chunk.queryChunks.map(sqlOf).join('');
  if (Array.isArray(chunk)) return chunk.map(sqlOf).join(', ');
  return is(chunk, StringChunk) ? textOf(chunk) : ' ? ';
}
