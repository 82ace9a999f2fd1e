import {
  type Column,
  getOperators,
  getOrderByOperators,
  getTableUniqueName,
  type Relation,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { Builder, SelectedField } from './builder.ts';
import { encryptionOf, isIndexColumn } from './encryption.ts';

export interface TableConfig {
  readonly tsName: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly relations: Readonly<Record<string, Relation>>;
}

export interface QueryConfig {
  readonly columns?: Readonly<Record<string, boolean | undefined>>;
  readonly with?: Readonly<Record<string, QueryConfig | boolean | undefined>>;
  readonly where?: SQL | ((columns: object, operators: object) => SQL | undefined);
  readonly orderBy?: unknown;
  readonly extras?: unknown;
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

export function targetOf(query: RelationalQuery, table: TableConfig, name: string): TableConfig | undefined {
  const relation = table.relations[name];
  const target = relation && query.tableNamesMap[getTableUniqueName(relation.referencedTable)];
  return target === undefined ? undefined : query.schema[target];
}

export function resolved(given: QueryConfig, columns: TableConfig['columns']) {
  const call = (value: unknown, tools: object): unknown =>
    typeof value === 'function' ? (value(columns, tools) as unknown) : value;
  const orderBy = call(given.orderBy, getOrderByOperators()) ?? [];
  return {
    where: call(given.where, getOperators()) as SQL | undefined,
    orderBy: (Array.isArray(orderBy) ? orderBy : [orderBy]) as SQL[],
    extras: (call(given.extras, { sql }) ?? {}) as Readonly<Record<string, SQL.Aliased>>,
  };
}

export function selectedKeys(chosen: QueryConfig['columns'], columns: TableConfig['columns']): string[] {
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
