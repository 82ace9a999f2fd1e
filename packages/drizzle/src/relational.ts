import {
  aliasedTable,
  type Column,
  getOperators,
  getOrderByOperators,
  getTableUniqueName,
  normalizeRelation,
  type Relation,
  type SQL,
  sql,
} from 'drizzle-orm';
import { type Builder, copyOf, execute, type SelectedField } from './builder.ts';
import {
  encryptionOf,
  opaquePlace,
  isBound,
  isIndexColumn,
  requireIdColumn,
  subjectColumnOf,
} from './encryption.ts';
import { refuse } from './error.ts';
import type { Comparison } from './chunks.ts';
import { mayDropRows, type Narrowing, wideIn, wideSearchesIn } from './narrowing.ts';
import { type Opening, openRows } from './opening.ts';
import { type KnownColumns, requirePlainFields, watchedIn } from './plain-fields.ts';
import type { Access, Row } from './records.ts';
import { rewrite, rewriteAll } from './rewrite.ts';
import type { RewriteContext } from './search.ts';

interface Plan {
  readonly opening: Opening;
  readonly relations: Readonly<Record<string, Plan>>;
}

interface Planned {
  readonly config: QueryConfig;
  readonly plan: Plan;
}

export async function runRelational(query: RelationalQuery, access: Access): Promise<unknown> {
  const context = { ...access, subqueries: new Map(), isRead: true };
  const { tableConfig } = query;
  const { config, plan } = await planQuery(query, query.config, tableConfig, tableConfig.tsName, context);
  const copy = copyOf(query as never, config as never);
  const result = await execute(copy);
  const rows = (Array.isArray(result) ? result : [result]).filter((row) => row !== undefined && row !== null);
  const found = await openNested(rows as Row[], plan, access);
  return Array.isArray(result) ? found : result;
}

async function planQuery(
  query: RelationalQuery,
  given: QueryConfig,
  table: TableConfig,
  alias: string,
  context: RewriteContext,
): Promise<Planned> {
  const { where, orderBy, extras } = resolved(given, table.columns);
  const nested = await Promise.all(
    Object.entries(given.with ?? {}).flatMap(([name, inner]) =>
      inner ? [planRelation(query, table, alias, name, inner, context)] : [],
    ),
  );
  // `findFirst` has a limit too.
  const wide = mayDropRows({ limit: given.limit, offset: given.offset }) ? wideSearchesIn(where) : [];
  const { columns, opening } = planColumns(given.columns, table.columns, alias, extras, context.known, wide);
  const [condition, order, expressions] = await Promise.all([
    rewrite(where, { ...context, narrowed: new Set(wide.map(({ operands }) => operands[0])) }),
    rewriteAll(orderBy, context),
    Promise.all(
      Object.entries(extras).map(async ([name, extra]) => [name, await rewrite(extra, context)] as const),
    ),
  ]);
  return {
    config: {
      ...given,
      columns,
      ...(condition ? { where: condition } : {}),
      ...(orderBy.length > 0 ? { orderBy: order } : {}),
      ...(given.extras ? { extras: Object.fromEntries(expressions) } : {}),
      ...(given.with ? { with: Object.fromEntries(nested.map(([name, { config }]) => [name, config])) } : {}),
    },
    plan: { opening, relations: Object.fromEntries(nested.map(([name, { plan }]) => [name, plan])) },
  };
}

async function planRelation(
  query: RelationalQuery,
  table: TableConfig,
  alias: string,
  name: string,
  inner: QueryConfig | true,
  context: RewriteContext,
): Promise<[string, Planned]> {
  const config = targetOf(query, table, name);
  const relation = table.relations[name];
  if (!config || !relation)
    throw new TypeError(
      `the schema does not define the relation \`${name}\`: define it, or correct its name`,
    );
  requirePlainRelation(query, relation);
  return [name, await planQuery(query, inner === true ? {} : inner, config, `${alias}_${name}`, context)];
}

function requirePlainRelation({ schema, tableNamesMap }: RelationalQuery, relation: Relation): void {
  const { fields, references } = normalizeRelation(schema as never, { ...tableNamesMap }, relation);
  const place = [...fields, ...references].map(opaquePlace).find((found) => found !== undefined);
  if (!place) return;
  refuse(
    'not_supported',
    place,
    `the relation \`${relation.fieldName}\` compares ciphertexts, and two ciphertexts of a value differ`,
    'define the relation with columns that are not encrypted, or join with `eq` on columns that are `searchable`',
  );
}

function planColumns(
  chosen: QueryConfig['columns'],
  columns: TableConfig['columns'],
  alias: string,
  extras: Readonly<Record<string, SQL.Aliased>>,
  known: KnownColumns,
  wide: readonly Comparison[],
): { columns: Record<string, boolean>; opening: Opening } {
  const keys = selectedKeys(chosen, columns);
  const addedIds: Record<string, Column> = {};
  const narrowings = wide.flatMap(({ column: { name }, encryption, operands }) => {
    return Object.entries(columns).flatMap(([key, column]): Narrowing[] => {
      if (column.name !== name) return [];
      if (!keys.includes(key)) addedIds[key] = column;
      return [{ path: [key], column, encryption, query: wideIn(encryption, operands[0]) ?? {} }];
    });
  });
  const opened = [...keys, ...Object.keys(addedIds)].flatMap((key): Opening['columns'] => {
    const column = columns[key];
    const encryption = encryptionOf(column);
    if (!column || !encryption) return [];
    const id = isBound(encryption) ? requireIdColumn(column.table, encryption) : undefined;
    const subject = subjectColumnOf(column.table);
    for (const needed of [id, subject])
      if (needed && !keys.includes(needed.key)) addedIds[needed.key] = needed.column;
    const [idPath, subjectPath] = [id, subject].map((needed) => needed && [needed.key]);
    return [{ path: [key], column, encryption, idPath, subjectPath }];
  });
  const fields = [...keys.map((key) => [key, columns[key]] as const), ...Object.entries(extras)].map(
    ([name, field]) => ({ path: [name], field }),
  );
  const table = Object.values(columns)[0]?.table;
  const sources = table ? [table, aliasedTable(table, alias)] : [];
  requirePlainFields(fields, sources, known);
  const selected = [...keys, ...Object.keys(addedIds)].map((key): [string, boolean] => [key, true]);
  return {
    columns: Object.fromEntries(selected),
    opening: { addedIds, columns: opened, watched: watchedIn(fields, sources), narrowings },
  };
}

async function openNested(
  rows: readonly Row[],
  { opening, relations }: Plan,
  access: Access,
): Promise<readonly Row[]> {
  const inner = Object.entries(relations).map(async ([name, plan]) => {
    const nested = rows.flatMap((row): readonly Row[] => [(row[name] ?? []) as Row | Row[]].flat());
    const found = new Set(await openNested(nested, plan, access));
    if (found.size === nested.length) return;
    for (const row of rows) row[name] = (row[name] as Row[]).filter((each) => found.has(each));
  });
  const [found] = await Promise.all([openRows(rows, opening, access), ...inner]);
  return found;
}

interface TableConfig {
  readonly tsName: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly relations: Readonly<Record<string, Relation>>;
}

interface QueryConfig {
  readonly columns?: Readonly<Record<string, boolean | undefined>>;
  readonly with?: Readonly<Record<string, QueryConfig | boolean | undefined>>;
  readonly where?: SQL | ((columns: object, operators: object) => SQL | undefined);
  readonly orderBy?: unknown;
  readonly extras?: unknown;
  readonly limit?: unknown;
  readonly offset?: unknown;
}

export interface RelationalQuery extends Omit<Builder, 'config'> {
  config: QueryConfig;
  readonly schema: Readonly<Record<string, TableConfig>>;
  readonly tableNamesMap: Readonly<Record<string, string>>;
  readonly tableConfig: TableConfig;
}

export function selectsEncrypted(
  query: RelationalQuery,
  config: QueryConfig | boolean = query.config,
  table = query.tableConfig,
): boolean {
  if (Object.values(table.columns).some((column) => encryptionOf(column))) return true;
  const relations = typeof config === 'object' ? Object.entries(config.with ?? {}) : [];
  return relations.some(([name, inner]) => {
    const target = targetOf(query, table, name);
    return inner !== undefined && target !== undefined && selectsEncrypted(query, inner, target);
  });
}

function targetOf(query: RelationalQuery, table: TableConfig, name: string): TableConfig | undefined {
  const relation = table.relations[name];
  const target = relation && query.tableNamesMap[getTableUniqueName(relation.referencedTable)];
  return target === undefined ? undefined : query.schema[target];
}

function resolved(given: QueryConfig, columns: TableConfig['columns']) {
  const call = (value: unknown, tools: object): unknown =>
    typeof value === 'function' ? (value(columns, tools) as unknown) : value;
  const orderBy = call(given.orderBy, getOrderByOperators()) ?? [];
  return {
    where: call(given.where, getOperators()) as SQL | undefined,
    orderBy: (Array.isArray(orderBy) ? orderBy : [orderBy]) as SQL[],
    extras: (call(given.extras, { sql }) ?? {}) as Readonly<Record<string, SQL.Aliased>>,
  };
}

function selectedKeys(chosen: QueryConfig['columns'], columns: TableConfig['columns']): string[] {
  const keys = Object.keys(columns).filter((key) => !isIndexColumn(columns[key]));
  if (!chosen) return keys;
  const named = keys.filter((key) => chosen[key] !== undefined);
  if (named.length === 0) return [];
  const isList = named.some((key) => chosen[key] === true);
  return isList ? named.filter((key) => chosen[key] === true) : keys.filter((key) => !named.includes(key));
}

/** The columns that a query selects from its table and from the tables of its relations. */
export function selectedColumns(
  query: RelationalQuery,
  given = query.config,
  table = query.tableConfig,
): SelectedField[] {
  const own = selectedKeys(given.columns, table.columns).map((key) => ({
    path: [key],
    field: table.columns[key],
  }));
  const others = Object.entries(given.with ?? {}).flatMap(([name, inner]) => {
    const target = inner ? targetOf(query, table, name) : undefined;
    return target ? selectedColumns(query, typeof inner === 'object' ? inner : {}, target) : [];
  });
  return [...own, ...others];
}
