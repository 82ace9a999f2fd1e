import { Column, getTableName, is, Subquery } from 'drizzle-orm';
import {
  type Builder,
  type BuilderConfig,
  copyOf,
  execute,
  type Fields,
  isView,
  sourcesOf,
} from './builder.ts';
import { encryptionOf } from './encryption.ts';
import { computedPlace } from './chunks.ts';
import { refuse, refuseSql } from './error.ts';
import { mayDropRows, wideIn, wideSearchesIn } from './narrowing.ts';
import { openRows, planOpening } from './opening.ts';
import { type KnownColumns, requirePlainFields } from './plain-fields.ts';
import type { Access, Row } from './records.ts';
import { requirePlainSelection, rewrite, rewriteAll } from './rewrite.ts';
import type { RewriteContext } from './search.ts';
import { flatFields, withoutIndexColumns } from './selected-fields.ts';

function requireSelectable({ fields = {}, ...config }: BuilderConfig, known: KnownColumns): void {
  const selected = flatFields(fields);
  requirePlainFields(selected, sourcesOf(config), known);
  const distinctOn = typeof config.distinct === 'object' ? config.distinct.on : [];
  for (const chunk of [...distinctOn, ...(config.groupBy ?? []), ...(config.orderBy ?? [])]) {
    const place = computedPlace(chunk);
    if (place) refuseSql(place);
  }
  for (const { rightSelect } of config.setOperators ?? []) requirePlainSelection(rightSelect);
  const compares = config.distinct === true || (config.setOperators ?? []).length > 0;
  if (!compares) return;
  for (const { field } of selected) {
    const encryption = encryptionOf(field);
    if (encryption) {
      refuse(
        'not_supported',
        encryption,
        '`distinct` and set operators compare ciphertexts, and two ciphertexts of a value differ',
        'compare after decryption',
      );
    }
  }
}

export function requireInner(config: BuilderConfig, known: KnownColumns): void {
  requireSelectable(config, known);
  for (const { field } of flatFields(config.fields ?? {})) {
    const place = is(field, Column) ? undefined : computedPlace(field);
    if (place) refuseSql(place);
  }
}

export function subqueriesOf(config: BuilderConfig): RewriteContext['subqueries'] {
  return new Map(
    sourcesOf(config).flatMap((source): [string, Fields][] => {
      if (is(source, Subquery)) return [[source._.alias, source._.selectedFields]];
      return [];
    }),
  );
}

export async function rewriteClauses(config: BuilderConfig, given: RewriteContext): Promise<BuilderConfig> {
  const context = { ...given, narrowed: undefined };
  const [table, from, where, joins, withList] = await Promise.all([
    rewrite(config.table, context),
    rewrite(config.from, context),
    rewrite(config.where, given),
    Promise.all(
      (config.joins ?? []).map(async (join) => {
        const [table, on] = await Promise.all([rewrite(join.table, context), rewrite(join.on, context)]);
        return Object.assign({}, join, { table, on });
      }),
    ),
    rewriteAll(config.withList ?? [], context),
  ]);
  const orderBy = config.orderBy && (await rewriteAll(config.orderBy, context));
  return {
    ...config,
    table,
    ...(orderBy ? { orderBy } : {}),
    ...('from' in config ? { from } : {}),
    where,
    ...(config.joins ? { joins } : {}),
    ...(config.withList ? { withList } : {}),
  };
}

export async function runSelect(builder: Builder, access: Access): Promise<unknown> {
  const { config } = builder;
  requireSelectable(config, access.known);
  const subqueries = subqueriesOf(config);
  const context = { ...access, subqueries, isRead: true };
  const wide = mayDropRows(config) ? wideSearchesIn(config.where) : [];
  const bounds = wide.map(({ column }, at) => [`eaas bound ${at}`, column] as const);
  const fields = { ...withoutIndexColumns(config.fields ?? {}), ...Object.fromEntries(bounds) };
  const planned = planOpening(flatFields(fields), sourcesOf(config), subqueries);
  const opening = {
    ...planned,
    addedIds: { ...planned.addedIds, ...Object.fromEntries(bounds) },
    narrowings: wide.map(({ column, encryption, operands }, at) => {
      return { path: [`eaas bound ${at}`], column, encryption, query: wideIn(encryption, operands[0]) ?? {} };
    }),
  };
  refuseViews(config);
  const [clauses, having, groupBy, selected, setOperators] = await Promise.all([
    rewriteClauses(config, { ...context, narrowed: new Set(wide.map(({ operands }) => operands[0])) }),
    rewrite(config.having, context),
    rewriteAll(config.groupBy ?? [], context),
    rewriteFields({ ...fields, ...opening.addedIds }, context),
    Promise.all(
      (config.setOperators ?? []).map(async (operator) => {
        const right = await rewrite(operator.rightSelect.getSQL(), context);
        return Object.assign({}, operator, {
          rightSelect: Object.assign({}, operator.rightSelect, { getSQL: () => right }),
        });
      }),
    ),
  ]);
  const rows = (await execute(
    copyOf(builder, {
      ...clauses,
      fields: selected,
      having,
      ...(config.groupBy ? { groupBy } : {}),
      setOperators,
    }),
  )) as Row[];
  return openRows(rows, opening, access);
}

async function rewriteFields(fields: Fields, context: RewriteContext): Promise<Fields> {
  const entries = Object.entries(fields).map(async ([name, field]): Promise<[string, unknown]> => {
    if (encryptionOf(field) || is(field, Column)) return [name, field];
    const isNested =
      typeof field === 'object' && field !== null && Object.getPrototypeOf(field) === Object.prototype;
    return [name, isNested ? await rewriteFields(field as Fields, context) : await rewrite(field, context)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

function refuseViews({ table, joins = [], fields = {} }: BuilderConfig): void {
  if (![table, ...joins.map((join) => join.table)].some(isView)) return;
  for (const { field } of flatFields(fields)) {
    const encryption = encryptionOf(field);
    if (!encryption) continue;
    refuse(
      'cannot_open',
      encryption,
      'a view hides the row that the ciphertext is bound to',
      `select from \`${getTableName((field as Column).table)}\` instead of the view`,
    );
  }
}
