// Queries whose SQL the app wrote itself, and counts.
import { QueryPromise } from 'drizzle-orm';
import type { Access } from './access.ts';
import { isQuery, isSql } from './chunks.ts';
import { newRun, settle } from './late.ts';
import { requireUncompared, withoutRawWrite } from './raw.ts';
import { type Method, type Ready, send, statements } from './run.ts';
import { requirePlainSelection, type Scope, walk } from './walk.ts';

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

/** Runs SQL with late conditions. */
export function rawQuery(run: (statement: unknown) => unknown, statement: unknown, access: Access) {
  return lazily(access, false, (scope) => {
    if (isQuery(statement)) requirePlainSelection(statement, scope);
    const own = withoutRawWrite(statement, access.known);
    requireUncompared(own, access.known);
    const given = isSql(own) ? walk(own.getSQL(), scope) : own;
    return () => run(given);
  });
}

/** Counts with late conditions. It remains SQL of Drizzle, because an app can also select it as a column of a query. */
export function lateCount(count: Method, given: readonly unknown[], access: Access): object {
  const lazy = lazily(access, true, (scope) => {
    requireUncompared([...given], access.known);
    const walked = walk(given, scope);
    return () => count(...walked);
  });
  const methods = (['then', 'catch', 'finally'] as const).map((name) => [name, lazy[name].bind(lazy)]);
  return Object.assign(count(...given) as object, Object.fromEntries(methods));
}
