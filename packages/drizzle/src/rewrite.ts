import { Column, is, SQL, type SQLChunk, type SQLWrapper, sql, Subquery } from 'drizzle-orm';
import { comparisonIn, isEmpty, isQuery, type Query, textOf } from './chunks.ts';
import { refuse, refuseSql } from './error.ts';
import { excludedColumn } from './operators.ts';
import { opaquePlace } from './encryption.ts';
import { type RewriteContext, search } from './search.ts';
import { opaqueSelection } from './selected-fields.ts';

export async function rewrite<Chunk>(chunk: Chunk, context: RewriteContext): Promise<Chunk> {
  return (await rewriteChunk(chunk, context)) as Chunk;
}

export async function rewriteAll<T>(chunks: readonly T[], context: RewriteContext): Promise<T[]> {
  return Promise.all(chunks.map((chunk) => rewrite(chunk, context)));
}

async function rewriteChunk(chunk: unknown, context: RewriteContext): Promise<unknown> {
  if (is(chunk, SQL)) return rewriteSql(chunk, context);
  if (is(chunk, SQL.Aliased)) return replaced(chunk, 'sql', await rewriteSql(chunk.sql, context));
  if (is(chunk, Subquery)) return rewriteSubquery(chunk, context);
  if (is(chunk, Column)) return requirePlain(chunk);
  if (Array.isArray(chunk)) return rewriteList(chunk, context);
  if (isQuery(chunk)) return rewriteQuery(chunk, context);
  return chunk;
}

async function rewriteList(chunks: readonly unknown[], context: RewriteContext): Promise<readonly unknown[]> {
  const rewritten = await Promise.all(chunks.map((chunk) => rewriteChunk(chunk, context)));
  return rewritten.every((chunk, at) => chunk === chunks[at]) ? chunks : rewritten;
}

async function rewriteSql(given: SQL, context: RewriteContext): Promise<SQL> {
  // An async function must not return an object with the method `then`, because JavaScript would call this method. The
  // SQL of `$count` has the method `then`, so this line makes a copy without `then`.
  const whole = 'then' in given ? sql.join(given.queryChunks).mapWith(Number) : given;
  const excluded = excludedColumn(whole);
  if (excluded) requirePlain(excluded);
  const chunks = whole.queryChunks.filter((chunk) => !isEmpty(chunk));
  const comparison = comparisonIn(chunks);
  if (comparison?.operator === 'unchanged') return whole;
  if (comparison) return replaced(whole, 'queryChunks', [await search(comparison, context)]);
  for (const [at, chunk] of chunks.entries()) {
    if (/\bnot\s*(?:exists\s*)?\(*\s*$/i.test(textOf(chunks[at - 1]))) requireNoMatches(chunk);
    // `exists` ignores the columns of its subquery, so they can be encrypted.
    if (isQuery(chunk) && !/\bexists\s*$/i.test(textOf(chunks[at - 1]))) requirePlainSelection(chunk);
  }
  const rewritten = await rewriteList(whole.queryChunks, context);
  return replaced(whole, 'queryChunks', rewritten as SQLChunk[]);
}

function requireNoMatches(chunk: unknown): void {
  if (isQuery(chunk)) return requireNoMatches(chunk.getSQL());
  if (!is(chunk, SQL)) return;
  const chunks = chunk.queryChunks.filter((part) => !isEmpty(part));
  const comparison = comparisonIn(chunks);
  if (comparison?.operator === 'matches') {
    refuse(
      'not_supported',
      comparison.encryption,
      '`matches` can find too many rows, so its negation would miss rows',
      'select the rows, and filter them after decryption',
    );
  }
  for (const part of chunks) requireNoMatches(part);
}

/** The context of a query inside another: its rows cannot be dropped after decryption. */
const innerOf = (context: RewriteContext): RewriteContext => ({
  ...context,
  subqueries: new Map(),
  narrowed: undefined,
});

async function rewriteSubquery(subquery: Subquery, context: RewriteContext): Promise<Subquery> {
  // Without LATERAL, a subquery in FROM cannot refer to other subqueries of the same FROM clause.
  const inner = await rewriteSql(subquery._.sql, innerOf(context));
  return inner === subquery._.sql ? subquery : replaced(subquery, '_', { ...subquery._, sql: inner });
}

async function rewriteQuery(query: Query, context: RewriteContext): Promise<SQLWrapper> {
  const inner = query.getSQL();
  // Returns an SQL object instead of the query. A Drizzle query has the method `then`, so JavaScript would run a query
  // that an async function returns.
  return sql`(${await rewriteSql(inner, innerOf(context))})`;
}

function replaced<T extends object, Name extends keyof T>(whole: T, name: Name, value: T[Name]): T {
  if (whole[name] === value) return whole;
  const copy = Object.assign(Object.create(Object.getPrototypeOf(whole) as object) as T, whole);
  return Object.assign(copy, { [name]: value });
}

function requirePlain(column: Column): Column {
  const place = opaquePlace(column);
  return place ? refuseSql(place) : column;
}

export function requirePlainSelection(query: object): void {
  const [first] = opaqueSelection(query);
  if (first) refuseSql(first);
}
