import type { SQL, Table } from 'drizzle-orm';
import { type Builder, methodsOf } from './builder.ts';
import type { Conflict } from './conflict.ts';
import { encryptedColumns } from './encryption.ts';
import { refuse } from './error.ts';
import { checkedLater } from './checked.ts';
import { usesEncryption, writesEncrypted } from './mentions.ts';
import { runInsert } from './insert.ts';
import { type RelationalQuery, runRelational, selectsEncrypted } from './relational.ts';
import { runReturning } from './returning.ts';
import type { RewriteContext } from './search.ts';
import { requireInner, rewriteClauses, runSelect, subqueriesOf } from './select.ts';
import { runUpdate, type SelectIds } from './update.ts';

export interface HookContext {
  readonly recordsOf: RewriteContext['recordsOf'];
  readonly selectIds: SelectIds;
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

function hook<T extends object>(builder: T, usesEncryption: () => boolean, run: Run): T {
  const methods: Readonly<Record<string, unknown>> = { ...builder, ...inherited(builder) };
  const replacements = immediate
    .filter((name) => typeof methods[name] === 'function')
    .map((name) => [
      name,
      (...args: unknown[]): unknown => {
        if (usesEncryption()) refuseImmediate(name);
        return checkedLater(Reflect.apply(methods[name] as () => unknown, builder, args));
      },
    ]);
  return Object.assign(builder, Object.fromEntries(replacements), { execute: run });
}

function inherited(builder: object): Record<string, unknown> {
  const names = immediate.filter((name) => name in builder && !Object.hasOwn(builder, name));
  return Object.fromEntries(names.map((name) => [name, Reflect.get(builder, name)]));
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

export function hookSelect<T extends object>(select: T, { recordsOf }: HookContext): T {
  const builder = select as unknown as Builder;
  const getSQL = (): unknown => {
    requireInner(builder.config);
    return unhooked(builder)();
  };
  hook(
    select,
    () => usesEncryption(builder, unhooked(builder)),
    () => runSelect(builder, recordsOf),
  );
  return Object.assign(select, { getSQL });
}

export function hookInsert<T extends object>(insert: T, { recordsOf }: HookContext): T {
  const builder = insert as unknown as Builder;
  const conflicts: Conflict[] = [];
  const note = (method: string) => (config?: Conflict['config']) => {
    conflicts.push({ method, config });
    return insert;
  };
  const uses = (): boolean => usesEncryption(builder, unhooked(builder));
  hook(insert, uses, () => runInsert(builder, conflicts, recordsOf));
  if (encryptedColumns(builder.config.table as Table).length === 0) return insert;
  const getSQL = (): never => refuseImmediate('getSQL');
  const noted = ['onConflictDoUpdate', 'onConflictDoNothing', 'onDuplicateKeyUpdate']
    .filter((method) => method in insert)
    .map((method) => [method, note(method)]);
  return Object.assign(insert, Object.fromEntries(noted), { getSQL });
}

export function hookUpdate<T extends object>(update: T, { recordsOf, selectIds }: HookContext): T {
  const builder = update as unknown as Builder;
  const uses = (): boolean => usesEncryption(builder, unhooked(builder));
  const getSQL = (): SQL =>
    writesEncrypted(builder.config) ? refuseImmediate('getSQL') : unhooked(builder)();
  hook(update, uses, () => runUpdate(builder, recordsOf, selectIds));
  return Object.assign(update, { getSQL });
}

export function hookDelete<T extends object>(statement: T, { recordsOf }: HookContext): T {
  const builder = statement as unknown as Builder;
  const uses = (): boolean => usesEncryption(builder, unhooked(builder));
  return hook(statement, uses, async () => {
    const context = { recordsOf, subqueries: subqueriesOf(builder.config), isRead: false };
    return runReturning(builder, await rewriteClauses(builder.config, context), context);
  });
}

export function hookRelational<T extends object>(query: T, { recordsOf }: HookContext): T {
  const relational = query as unknown as RelationalQuery;
  return hook(
    query,
    () => selectsEncrypted(relational),
    () => runRelational(relational, recordsOf),
  );
}
