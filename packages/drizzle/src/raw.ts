// SQL that the app wrote itself: it may read from encrypted tables, and must not write to them.
import { Column, is, QueryPromise, SQL, Table } from 'drizzle-orm';
import type { Access } from './access.ts';
import { isQuery, isSql, sqlOf } from './chunks.ts';
import { refuse } from './error.ts';
import { newRun, settle } from './late.ts';
import { type Method, type Ready, statements } from './run.ts';
import { layoutOf } from './table.ts';
import { requirePlainSelection, type Scope, walk } from './walk.ts';

/** Returns a query that becomes ready when the app awaits it, or runs it in a batch. Its result is that of the driver. */
function lazily(access: Access, isRead: boolean, begin: (scope: Scope) => () => unknown) {
  const ready = async (): Promise<Ready> => {
    const run = newRun(access);
    const finish = begin({ run, isRead });
    await settle(run);
    return { query: finish(), open: async (result) => result };
  };
  const execute = async (): Promise<unknown> => (await ready()).query;
  const query = Object.assign(Object.create(QueryPromise.prototype) as QueryPromise<unknown>, { execute });
  statements.set(query, ready);
  return query;
}

/** Runs SQL with late conditions. */
export function rawQuery(run: (statement: unknown) => unknown, statement: unknown, access: Access) {
  return lazily(access, false, (scope) => {
    if (isQuery(statement)) requirePlainSelection(statement, scope);
    const given = isSql(statement) ? walk(withoutRawWrite(statement).getSQL(), scope) : statement;
    return () => run(given);
  });
}

/** Counts with late conditions. It remains SQL of Drizzle, because an app can also select it as a column of a query. */
export function lateCount(count: Method, given: readonly unknown[], access: Access): object {
  const lazy = lazily(access, true, (scope) => {
    const walked = walk(given, scope);
    return () => count(...walked);
  });
  const methods = (['then', 'catch', 'finally'] as const).map((name) => [name, lazy[name].bind(lazy)]);
  return Object.assign(count(...given) as object, Object.fromEntries(methods));
}

const writing =
  /(?<!\bfor\s+(?:no\s+key\s+)?)\bupdate\b|\b(?:insert|replace)\b(?!\s*\()|\bmerge\b|\bcopy\b|\bload\s+(?:data|xml)\b/i;

/**
 * Returns a statement that an app wrote itself. Throws if it is a `sql` template that writes and has an encrypted table,
 * or a column of one, in it, because its values would be stored as they are. Looks for the words of a write anywhere in
 * the template, also in comments and texts: it is better to refuse a template that only reads.
 */
export function withoutRawWrite<Statement>(statement: Statement): Statement {
  if (!is(statement, SQL)) return statement;
  const [table] = encryptedTablesIn(statement);
  if (table === undefined || !writing.test(sqlOf(statement))) return statement;
  const problem =
    'raw SQL that writes cannot have an encrypted table in it, because its values would be stored without encryption';
  const remedy =
    'use `insert` and `update` of the database, or, if the statement writes no plaintext, `sql.identifier` with the name of the table';
  return refuse('not_supported', { table }, problem, remedy);
}

function encryptedTablesIn(chunk: unknown): string[] {
  if (is(chunk, SQL)) return chunk.queryChunks.flatMap(encryptedTablesIn);
  if (Array.isArray(chunk)) return chunk.flatMap(encryptedTablesIn);
  const table = is(chunk, Column) ? chunk.table : chunk;
  return is(table, Table) ? layoutOf(table).columns.map(({ encryption }) => encryption.table) : [];
}
