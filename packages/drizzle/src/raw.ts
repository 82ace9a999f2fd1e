// SQL that the app wrote itself: it may read from encrypted tables, and must not write to them.
import { Column, is, QueryPromise, SQL, StringChunk, Table } from 'drizzle-orm';
import { withoutTexts } from '@eaas/sdk/internal';
import type { Access } from './access.ts';
import { isQuery, isSql, textOf } from './chunks.ts';
import { refuse } from './error.ts';
import { newRun, settle } from './late.ts';
import { type Method, type Ready, send, statements } from './run.ts';
import type { KnownColumns } from './fields.ts';
import { type Encryption, layoutOf } from './table.ts';
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
    const given = isSql(own) ? walk(own.getSQL(), scope) : own;
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

/** What a statement says of the tables that it writes to. */
const targets = [
  /\b(?:insert|replace|merge)(?:\s+(?:or\s+\w+|into|only|ignore|delayed|(?:low|high)_priority))*\s+((?:"[^"]*"|`[^`]*`|[^\s(;])+)/gi,
  /(?<!\b(?:for|key)\s+)\bupdate\b([^;]*?)\bset\b/gi,
  /\bcopy\b([^(;]*)(?:\([^)]*\)\s*)?\bfrom\b/gi,
  /\bload\s+(?:data|xml)\b[^;]*?\binto\s+table\b([^(;]*)/gi,
];

/**
 * Returns a statement that an app wrote itself. Throws if it writes and would store its values in an encrypted table as they
 * are: a `sql` template that has the table, or a column of it, in it, or a text that names it as the target. For a template,
 * it looks for the words of a write anywhere, because it is better to refuse one that only reads.
 */
export function withoutRawWrite<Statement>(statement: Statement, known: KnownColumns): Statement {
  const text = typeof statement === 'string' ? statement : textIn(statement);
  const table = (writing.test(text) ? encryptedTablesIn(statement)[0] : undefined) ?? targetIn(text, known);
  if (table === undefined) return statement;
  const problem =
    'raw SQL that writes cannot have an encrypted table in it, because its values would be stored without encryption';
  const remedy =
    'use `insert` and `update` of the database, or, if the statement writes no plaintext, `sql.identifier` with the name of the table';
  return refuse('not_supported', { table }, problem, remedy);
}

/** The text that the app itself wrote: without tables, and without the names of `sql.identifier`. */
function textIn(chunk: unknown): string {
  if (is(chunk, SQL)) return chunk.queryChunks.map(textIn).join('');
  return is(chunk, StringChunk) ? textOf(chunk) : ' ? ';
}

function targetIn(text: string, known: KnownColumns): string | undefined {
  const code = withoutTexts(text).replaceAll(/\s*\.\s*/g, '.');
  const found = targets.flatMap((target) => Array.from(code.matchAll(target), ([, named]) => named));
  const names = found.join(' ').match(tokens) ?? [];
  return known.all().find((each) => names.some((name) => isTable(name, each)))?.table;
}

/** The names of SQL, which a schema can precede, its other words, and its signs. */
const tokens = /(?:(?:"[^"]*"|`[^`]*`|[\p{L}\p{N}_$]+)\.?)+|[=<>!~]+|\S/gu;

/** Whether a name in SQL is that of the table, and not of a table in another schema. */
function isTable(given: string, { schema, table }: Encryption): boolean {
  const name = given.replaceAll(/["`]/g, '').toLowerCase();
  const own = table.toLowerCase();
  return name === own || `.${name}`.endsWith(schema ? `.${schema.toLowerCase()}.${own}` : `.${own}`);
}

function encryptedTablesIn(chunk: unknown): string[] {
  if (is(chunk, SQL)) return chunk.queryChunks.flatMap(encryptedTablesIn);
  if (Array.isArray(chunk)) return chunk.flatMap(encryptedTablesIn);
  const table = is(chunk, Column) ? chunk.table : chunk;
  return is(table, Table) ? layoutOf(table).columns.map(({ encryption }) => encryption.table) : [];
}
