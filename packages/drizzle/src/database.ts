// The encrypted database: Drizzle's own, whose methods return statements that encrypt and decrypt.
import { QueryPromise, type Table } from 'drizzle-orm';
import type { OnError } from '@eaas/sdk/fields';
import { clientOf } from '@eaas/sdk/internal';
import { type Access, accessFor } from './access.ts';
import { isQuery, isSql } from './chunks.ts';
import { refuse, requireVersion } from './error.ts';
import { shapesOfInsert } from './insert.ts';
import { newRun, settle } from './late.ts';
import { withoutRawSearch, withoutRawWrite } from './raw.ts';
import { shapeRelational, shapeSelect } from './reads.ts';
import {
  type Builder,
  hook,
  type Method,
  type Methods,
  type Ready,
  send,
  type ShapeOf,
  statements,
} from './run.ts';
import { type Dialect, tableSource } from './table-source.ts';
import type { WithEncryption } from './types.ts';
import { requirePlainSelection, type Scope, walk } from './walk.ts';
import { shapeUpdate, shapeWrite } from './writes.ts';

/** Makes `withEncryption`. It throws for a database that is not Drizzle's, or of a version that was not tried. */
export const databaseOf =
  (dialect: Dialect): WithEncryption =>
  (database, client, options = {}) => {
    if (!('select' in Object(database))) {
      const remedy = 'pass the database that `drizzle` of a driver returned';
      refuse('definition', {}, '`withEncryption` takes (database, eaas, options)', remedy);
    }
    requireVersion();
    const access = accessFor(database, client, options);
    const sourceOf = (table: Table): object => tableSource(database, dialect, access, table);
    return wrap(database, access, { $encryptedTable: sourceOf }) as never;
  };

const making = ['select', 'selectDistinct', 'selectDistinctOn', 'insert', 'update', 'delete', 'with'];
const raw = ['execute', 'run', 'all', 'get', 'values'];

function wrap(database: object, access: Access, more: object): object {
  const original = database as Methods;
  // What Drizzle's `withReplicas` returns reads elsewhere.
  const { $primary: primary = database } = database as { $primary?: object };
  const isSync = Reflect.get(database, 'resultKind') === 'sync';
  const follow = (made: unknown): unknown => followed(made, access, isSync, primary as Methods);
  const own: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(
      making.map((name) => [name, (...args: unknown[]) => follow(original[name]?.(...args))]),
    ),
    ...Object.fromEntries(
      raw.map((name) => [name, (sql: unknown) => rawQuery((given) => original[name]?.(given), sql, access)]),
    ),
    get query() {
      return new Proxy(original['query'] ?? {}, { get: (tables, name) => follow(Reflect.get(tables, name)) });
    },
    ...(primary !== database && { $primary: wrap(primary, access, more) }),
    $replicas: (database as { $replicas?: object[] }).$replicas?.map((each) => wrap(each, access, more)),
    $with: (...args: unknown[]) => {
      const created = original['$with']?.(...args) as { as: Method };
      const as = (query: unknown): unknown =>
        created.as(withoutRawWrite(typeof query === 'function' ? (query as Method)(self) : query));
      return { as };
    },
    $count: (...given: unknown[]) => lateCount((...walked) => original['$count']?.(...walked), given, access),
    transaction: (run: Method, ...config: unknown[]) => {
      if (isSync) {
        const problem = 'a transaction of this driver is synchronous, and encryption is asynchronous';
        refuse('synchronous', {}, problem, 'use an asynchronous driver, such as libsql');
      }
      const within = { ...access, isTransaction: true };
      return original['transaction']?.((inner: object) => run(wrap(inner, within, more)), ...config);
    },
    batch: async (given: readonly object[]) => {
      // A statement of another database stays as it is.
      const make = async () => Promise.all(given.map(async (each) => statements.get(each)?.()));
      return send(make, false, async (ready) => {
        const queries = given.map((each, at) => ready[at]?.query ?? each);
        const results = (await original['batch']?.(queries)) as readonly unknown[];
        return Promise.all(results.map(async (result, at) => (ready[at] ? ready[at].open(result) : result)));
      });
    },
  };
  const added: Readonly<Record<PropertyKey, unknown>> = {
    ...more,
    as: (user: string) => wrap(database, { ...access, core: access.core.as(user) }, more),
    onError: (handler: OnError) => wrap(database, { ...access, core: access.core.onError(handler) }, more),
    revealed: () => wrap(database, { ...access, core: access.core.revealed() }, more),
    [clientOf]: () => access.core.client(),
  };
  const self = new Proxy(database, {
    // Drizzle's `withReplicas` copies the members of an encrypted database.
    ownKeys: (target) => [...Reflect.ownKeys(target), ...Reflect.ownKeys(added)],
    has: (target, name) => Object.hasOwn(added, name) || Reflect.has(target, name),
    getOwnPropertyDescriptor: (target, name) =>
      Reflect.getOwnPropertyDescriptor(Object.hasOwn(added, name) ? added : target, name),
    get: (target, name: string) => {
      if (Object.hasOwn(added, name)) return added[name];
      return name in target && Object.hasOwn(own, name) ? own[name] : (Reflect.get(target, name) as unknown);
    },
  });
  return self;
}

/** Returns a query that becomes ready when the app awaits it, or runs it in a batch. Its result is that of the driver. */
function lazily(access: Access, isRead: boolean, begin: (scope: Scope) => () => unknown) {
  const ready = async (): Promise<Ready> => {
    const run = newRun(access);
    const finish = begin({ run, isRead });
    await settle(run);
    return { query: finish(), open: async (result) => result };
  };
  const make = async (): Promise<Ready[]> => [await ready()];
  const execute = async (): Promise<unknown> => send(make, true, async ([made]) => made?.query);
  const query = Object.assign(Object.create(QueryPromise.prototype) as QueryPromise<unknown>, { execute });
  statements.set(query, ready);
  return query;
}

/** Runs SQL of the app with late conditions. */
function rawQuery(run: (statement: unknown) => unknown, statement: unknown, access: Access) {
  const query = lazily(access, false, (scope) => {
    if (isQuery(statement)) requirePlainSelection(statement, scope);
    const own = withoutRawSearch(withoutRawWrite(statement));
    const given = isSql(own) ? walk(own.getSQL(), scope) : own;
    return () => run(given);
  });
  // The migrators of libsql and D1 prepare what `run` returned. A migration has no values to encrypt.
  return Object.assign(query, { _prepare: () => (run(statement) as Methods)['_prepare']?.() });
}

/** Counts with late conditions. It remains SQL of Drizzle, because an app can also select it as a column of a query. */
function lateCount(count: Method, given: readonly unknown[], access: Access): object {
  const lazy = lazily(access, true, (scope) => {
    withoutRawSearch(count(...given));
    const walked = walk(given, scope);
    return () => count(...walked);
  });
  const methods = (['then', 'catch', 'finally'] as const).map((name) => [name, lazy[name].bind(lazy)]);
  return Object.assign(count(...given) as object, Object.fromEntries(methods));
}

/** Hooks a statement. What makes one, such as `db.select()` and `db.with()`, becomes an object whose methods do so. */
function followed(made: unknown, access: Access, isSync: boolean, database: Methods): unknown {
  if (typeof made !== 'object' || made === null) return made;
  if ('execute' in made && 'config' in made) {
    return hook(made as never, shapesOf(made as never, database), access, isSync);
  }
  return new Proxy(made, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => followed(Reflect.apply(member, target, args), access, isSync, database);
    },
  });
}

/** A run begins with the config that the builder has then. */
function shapesOf(builder: Builder, database: Methods): ShapeOf {
  const config = builder.config as object;
  if ('tableConfig' in builder) return (run) => shapeRelational(builder as never, run);
  if ('fields' in config) return (run, isOne) => shapeSelect(builder.config as never, run, isOne);
  if ('values' in config) return shapesOfInsert(builder as never, database);
  if ('set' in config) return (run) => shapeUpdate(builder.config as never, run, database);
  return (run) => shapeWrite(builder.config as never, [], run);
}
