import { Column, is, Param, SQL, Subquery, Table } from 'drizzle-orm';
import { type Builder, type BuilderConfig, methodsOf } from './builder.ts';
import { isQuery } from './chunks.ts';
import type { Conflict } from './conflict.ts';
import { encryptedColumns, encryptionOf } from './encryption.ts';
import { refuse } from './error.ts';
import { runInsert } from './insert.ts';
import { requirePlainFields } from './plain-fields.ts';
import type { Access } from './records.ts';
import { type RelationalQuery, runRelational, selectedColumns, selectsEncrypted } from './relational.ts';
import { requireReturnable, runReturning } from './returning.ts';
import { requireInner, rewriteClauses, runSelect, subqueriesOf } from './select.ts';
import { flatFields, opaqueSelection } from './selected-fields.ts';
import { runUpdate, type SelectRows } from './update.ts';

export interface HookContext extends Access {
  readonly selectRows: SelectRows;
}

type Run = () => Promise<unknown>;

const immediate = [
  'prepare',
  '_prepare',
  'run',
  'all',
  'get',
  'values',
  'iterator',
  'sync',
  'executeRaw',
  'toSQL',
];

/** Replaces the methods of a builder that would build its statement at once, and the one that runs it. */
function hook<T extends object>(
  builder: T,
  usesEncryption: () => boolean,
  requireReadable: () => void,
  run: Run,
): T {
  for (const name of immediate) {
    const method: unknown = Reflect.get(builder, name);
    if (typeof method !== 'function') continue;
    Reflect.set(builder, name, (...args: unknown[]): unknown => {
      if (usesEncryption()) refuseImmediate(name);
      requireReadable();
      return Reflect.apply(method, builder, args);
    });
  }
  return Object.assign(builder, { execute: run });
}

function refuseImmediate(method: string): never {
  return refuse(
    'synchronous',
    {},
    `\`${method}\` builds the statement at once, and encryption is asynchronous`,
    'await the statement itself',
  );
}

function unhooked(builder: Builder): () => SQL {
  return () => methodsOf(builder)['getSQL']?.call(builder) as SQL;
}

export function hookSelect<T extends object>(select: T, context: HookContext): T {
  const builder = select as unknown as Builder;
  const requireReadable = (): void => requireInner(builder.config, context.known);
  const getSQL = (): unknown => {
    requireReadable();
    return unhooked(builder)();
  };
  const uses = (): boolean => usesEncryption(builder, unhooked(builder));
  hook(select, uses, requireReadable, () => runSelect(builder, context));
  return Object.assign(select, { getSQL });
}

export function hookInsert<T extends object>(insert: T, context: HookContext): T {
  const builder = insert as unknown as Builder;
  const conflicts: Conflict[] = [];
  const note = (method: string) => (config?: Conflict['config']) => {
    conflicts.push({ method, config });
    return insert;
  };
  const uses = (): boolean => usesEncryption(builder, unhooked(builder));
  const requireReadable = (): void => requireReturnable(builder.config, context.known);
  hook(insert, uses, requireReadable, () => runInsert(builder, conflicts, context));
  if (encryptedColumns(builder.config.table as Table).length === 0) return insert;
  const getSQL = (): never => refuseImmediate('getSQL');
  const noted = ['onConflictDoUpdate', 'onConflictDoNothing', 'onDuplicateKeyUpdate']
    .filter((method) => method in insert)
    .map((method) => [method, note(method)]);
  return Object.assign(insert, Object.fromEntries(noted), { getSQL });
}

export function hookUpdate<T extends object>(update: T, context: HookContext): T {
  const builder = update as unknown as Builder;
  const uses = (): boolean => usesEncryption(builder, unhooked(builder));
  const getSQL = (): SQL =>
    writesEncrypted(builder.config) ? refuseImmediate('getSQL') : unhooked(builder)();
  const requireReadable = (): void => requireReturnable(builder.config, context.known);
  hook(update, uses, requireReadable, () => runUpdate(builder, context, context.selectRows));
  return Object.assign(update, { getSQL });
}

export function hookDelete<T extends object>(statement: T, access: HookContext): T {
  const builder = statement as unknown as Builder;
  const uses = (): boolean => usesEncryption(builder, unhooked(builder));
  const requireReadable = (): void => requireReturnable(builder.config, access.known);
  return hook(statement, uses, requireReadable, async () => {
    const context = { ...access, subqueries: subqueriesOf(builder.config), isRead: false };
    return runReturning(builder, await rewriteClauses(builder.config, context), context);
  });
}

export function hookRelational<T extends object>(query: T, context: HookContext): T {
  const relational = query as unknown as RelationalQuery;
  return hook(
    query,
    () => selectsEncrypted(relational),
    () => requirePlainFields(selectedColumns(relational), [], context.known),
    () => runRelational(relational, context),
  );
}

function mentionsEncrypted(chunk: unknown): boolean {
  if (is(chunk, Column)) return encryptionOf(chunk) !== undefined;
  if (is(chunk, Param)) return encryptionOf(chunk.encoder) !== undefined;
  if (is(chunk, SQL)) return chunk.queryChunks.some(mentionsEncrypted);
  if (is(chunk, SQL.Aliased)) return mentionsEncrypted(chunk.sql);
  if (is(chunk, Subquery)) return mentionsEncrypted(chunk._.sql) || selects(chunk._.selectedFields);
  if (Array.isArray(chunk)) return chunk.some(mentionsEncrypted);
  return isQuery(chunk) && mentionsEncrypted(chunk.getSQL());
}

const selects = (fields: Readonly<Record<string, unknown>>): boolean =>
  flatFields(fields).some(({ field }) => mentionsEncrypted(field));

function writesEncrypted({ table, values, set }: BuilderConfig): boolean {
  if (!is(table, Table)) return false;
  const columns = encryptedColumns(table);
  if (values !== undefined) return columns.length > 0;
  return set !== undefined && columns.some(({ key, column }) => set[key] !== undefined || column.onUpdateFn);
}

function usesEncryption(builder: Builder, sql: () => SQL): boolean {
  const { fields, returning, withList, setOperators = [], select, values } = builder.config;
  if (writesEncrypted(builder.config)) return true;
  const inner = [...setOperators.map(({ rightSelect }) => rightSelect), ...(select ? [values] : [])];
  if (inner.some((query) => isQuery(query) && opaqueSelection(query).length > 0)) return true;
  const listed = [...flatFields(fields ?? {}), ...(returning ?? [])].map(({ field }) => field);
  return mentionsEncrypted([...listed, ...(withList ?? [])]) || mentionsEncrypted(sql());
}
