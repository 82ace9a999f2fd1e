// What a select and a relational query read besides, and which of them cannot work on ciphertexts. Drizzle builds the SQL of a
// relational query from a schema whose encrypted columns are readable, and which has no index columns.
import {
  Column,
  type DBQueryConfig,
  getOperators,
  getOrderByOperators,
  getTableName,
  getTableUniqueName,
  is,
  type SQL,
  sql,
  type TableRelationalConfig,
  type TablesRelationalConfig,
  View,
} from 'drizzle-orm';
import type { PgSelectConfig } from 'drizzle-orm/pg-core';
import { isQuery } from './chunks.ts';
import { refuse } from './error.ts';
import { flatFields, nestedFields, requireFirstDefinition, requireSelected, sourcesOf } from './fields.ts';
import type { Run } from './late.ts';
import { hiddenFields, type Level, levelIn, newReading, readFields } from './results.ts';
import type { Builder, Shape } from './run.ts';
import { encryptionOf, isIndexColumn, readable } from './table.ts';
import { narrowing, requirePlainSelection, type Scope, selectedField, type WideSearch } from './walk.ts';

/** The configs are the same in all dialects, as far as they are read here. */
type QueryConfig = DBQueryConfig<'many', true>;
type Cutting = 'limit' | 'offset' | 'distinct' | 'groupBy' | 'setOperators';
type Cut = { readonly [Key in Cutting]?: PgSelectConfig[Key] | undefined };

export function shapeSelect(config: PgSelectConfig, run: Run, isOne: boolean): Shape {
  const sources = sourcesOf(config);
  const scope: Scope = { run, isRead: true, sources };
  const selected = flatFields(config.fields);
  for (const { field } of selected) {
    requireFirstDefinition(field, run.access);
    requireReadable(field, config, sources);
  }
  for (const { rightSelect } of config.setOperators ?? []) {
    if (isQuery(rightSelect)) requirePlainSelection(rightSelect, scope);
  }
  const searches: WideSearch[] = [];
  // What SQL computes can be of all rows, such as `count(*) over ()`.
  const isNarrow = !isOne && selected.every(({ field }) => is(field, Column));
  const where = isNarrow ? narrowedWhere(config.where, config, searches, run) : config.where;
  const reading = newReading();
  const fields = nestedFields(readFields(selected, searches, reading));
  for (const column of reading.top.hidden.values()) requireSelected(column, sources);
  const shown = selected.map(({ path, field }) => ({ path, field: selectedField(field) }));
  const inner = { ...config, fields: nestedFields(shown) };
  return { members: { config: { ...config, fields, where } }, inner, reading, scope };
}

/** Narrows a condition, unless the database cuts, groups or compares the rows of which some would be dropped later. */
function narrowedWhere(where: SQL | undefined, cut: Cut, searches: WideSearch[], run: Run): SQL | undefined {
  const { limit, offset, distinct, groupBy, setOperators } = cut;
  const isCut = limit !== undefined || offset !== undefined;
  if (isCut || distinct || groupBy?.length || setOperators?.length) return where;
  return where && narrowing(where, searches, run.access);
}

function requireReadable(field: unknown, config: PgSelectConfig, sources: readonly unknown[]): void {
  const encryption = encryptionOf(field);
  if (!encryption) return;
  if (config.distinct === true || (config.setOperators ?? []).length > 0) {
    const problem = '`distinct` and set operators compare ciphertexts, and two ciphertexts of a value differ';
    refuse('not_supported', encryption, problem, 'compare after decryption');
  }
  if (!sources.some((source) => is(source, View))) return;
  const remedy = `select from \`${getTableName((field as Column).table)}\` instead of the view`;
  refuse('not_decrypted', encryption, 'a view hides the row that the ciphertext is bound to', remedy);
}

interface RelationalQuery extends Builder {
  readonly config: QueryConfig;
  readonly schema: TablesRelationalConfig;
  readonly tableNamesMap: Readonly<Record<string, string>>;
  readonly tableConfig: TableRelationalConfig;
}

export function shapeRelational(query: RelationalQuery, run: Run): Shape {
  const scope: Scope = { run, isRead: true };
  const reading = newReading();

  /** Returns the config of a level, and notes in `reading` what it reads besides. */
  function level(given: QueryConfig, of: TableRelationalConfig, at: Level): QueryConfig {
    const { columns, relations } = of;
    const { where, orderBy, extras } = resolved(given, columns);
    const searches: WideSearch[] = [];
    // `findFirst` has a limit too.
    const narrowed = narrowedWhere(where, given, searches, run);
    const own = selectedColumns(given, columns);
    for (const column of own) requireFirstDefinition(column, run.access);
    const selected = Object.entries(extras).map(([name, field]) => [name, selectedField(field)] as const);
    const hidden = hiddenFields(reading, at, own, searches).map(([name, field]) => [name, field.as(name)]);
    const inner = Object.entries(given.with ?? {}).flatMap(([name, config]): [string, QueryConfig][] => {
      const to = relations[name] && getTableUniqueName(relations[name].referencedTable);
      const target = query.schema[query.tableNamesMap[to ?? ''] ?? ''];
      if (!config || !target) return [];
      const given = config === true ? {} : config;
      return [[name, level(given, target, levelIn(at, name, true))]];
    });
    return {
      ...given,
      ...(narrowed && { where: narrowed }),
      orderBy,
      extras: { ...Object.fromEntries(selected), ...Object.fromEntries(hidden) },
      with: { ...given.with, ...Object.fromEntries(inner) },
    };
  }

  const { tsName } = query.tableConfig;
  const config: QueryConfig = level(query.config, query.tableConfig, reading.top);
  const schema = readableSchema(query.schema);
  return { members: { config, schema, tableConfig: schema[tsName] }, reading, scope };
}

/** The columns that Drizzle selects: those with `true` in `columns`, or else all but those that it names. */
function selectedColumns({ columns: chosen }: QueryConfig, of: TableRelationalConfig['columns']): Column[] {
  const all = Object.entries(of).filter(([, column]) => !isIndexColumn(column));
  const isIncluded = all.some(([key]) => chosen?.[key]);
  return all.flatMap(([key, column]) => ((chosen?.[key] ?? !isIncluded) ? [column] : []));
}

const schemas = new WeakMap<TablesRelationalConfig, TablesRelationalConfig>();

/** The schema with readable columns. Conditions of the app use the columns of its tables, which are not. */
function readableSchema(schema: TablesRelationalConfig): TablesRelationalConfig {
  const found = schemas.get(schema);
  if (found) return found;
  const tables = Object.entries(schema).map(([name, table]): [string, TableRelationalConfig] => {
    const columns = Object.entries(table.columns)
      .filter(([, column]) => !isIndexColumn(column))
      .map(([key, column]) => [key, encryptionOf(column) ? readable(column) : column] as const);
    return [name, { ...table, columns: Object.fromEntries(columns) }];
  });
  const made: TablesRelationalConfig = Object.fromEntries(tables);
  schemas.set(schema, made);
  return made;
}

/** Calls the functions of a config with the columns of its table, which Drizzle would call with readable ones. */
function resolved(given: QueryConfig, columns: TableRelationalConfig['columns']) {
  const call = (value: unknown, tools: object): unknown =>
    typeof value === 'function' ? (value(columns, tools) as unknown) : value;
  return {
    where: call(given.where, getOperators()) as SQL | undefined,
    orderBy: [(call(given.orderBy, getOrderByOperators()) ?? []) as SQL].flat(),
    extras: (call(given.extras, { sql }) ?? {}) as Readonly<Record<string, SQL.Aliased>>,
  };
}
