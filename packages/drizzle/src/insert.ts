import { type Column, is, Param, SQL, type Table } from 'drizzle-orm';
import type { Builder, BuilderConfig } from './builder.ts';
import { type Conflict, applyConflict } from './conflict.ts';
import {
  encryptedColumns,
  type EncryptedEntry,
  idColumnOf,
  isBound,
  partsOf,
  requireIdColumn,
  subjectColumnOf,
} from './encryption.ts';
import { refuse } from './error.ts';
import { keepsForm } from './id-form.ts';
import type { Access, Row, RowId } from './records.ts';
import { runReturning } from './returning.ts';
import type { RewriteContext } from './search.ts';
import { isQuery, isSql } from './chunks.ts';
import { requirePlainSelection, rewrite, rewriteAll } from './rewrite.ts';
import {
  asSqlValues,
  encryptValues,
  requireNoIndexValues,
  rewriteValues,
  subjectIn,
  valuesByColumn,
} from './values.ts';

export async function runInsert(
  builder: Builder,
  conflicts: readonly Conflict[],
  access: Access,
): Promise<unknown> {
  const { config } = builder;
  const context = { ...access, subqueries: new Map(), isRead: false };
  const table = config.table as Table;
  if (config.select) refuseSelect(table);
  const { ids, subjects, values } = await encryptedRows(table, config, context);
  const { key = '' } = idColumnOf(table) ?? {};
  const hasOwnIds = Array.isArray(config.values) && config.values.every((row: Row) => !isAbsent(row[key]));
  const withList = await rewriteAll(config.withList ?? [], context);
  const nameOf = (column: Column): string => builder.dialect.casing.getColumnCasing(column);
  const insert = { table, ids, hasOwnIds, subjects, context, nameOf };
  const onConflict = await applyConflict(builder, conflicts, insert);
  const changed = { ...config, values, ...(config.withList ? { withList } : {}), ...onConflict };
  return runReturning(builder, changed, context);
}

async function encryptedRows(
  table: Table,
  { values: inserted, select }: BuilderConfig,
  context: RewriteContext,
): Promise<{ values: unknown; ids: readonly RowId[]; subjects: readonly Row[] }> {
  const entries = encryptedColumns(table);
  if (select) {
    if (isQuery(inserted)) requirePlainSelection(inserted);
    const query = isQuery(inserted) ? inserted.getSQL() : inserted;
    return { values: await rewrite(query, context), ids: [], subjects: [] };
  }
  const given = await Promise.all((inserted as Row[]).map((row) => rewriteValues(row, context)));
  if (entries.length === 0) return { values: given, ids: [], subjects: [] };
  const rows = given.map((row) => withDefaults(table, row));
  const ids = rows.map((row) => idIn(table, row));
  const holdsValue = (row: Row): boolean => entries.some(({ key }) => hasValue(row[key]));
  const subjects = rows.map((row) => (holdsValue(row) ? subjectIn(table, row) : {}));
  const plain = rows.map((row, at) => ({
    ...withAbsentOthers(entries, valuesByColumn(entries, row)),
    ...subjects[at],
  }));
  const stored = await encryptValues(entries, plain, ids, context.recordsOf(table));
  const values = rows.map((row, at) => Object.assign(row, asSqlValues(stored[at] ?? {})));
  return { values, ids, subjects };
}

/**
 * Adds null for omitted columns of an index that covers several columns, because the fingerprint is computed from all
 * columns of the index.
 */
function withAbsentOthers(entries: readonly EncryptedEntry[], row: Row): Row {
  const groups = entries.flatMap(({ encryption }) =>
    Object.values(partsOf(encryption.field)).map(({ others }) => [encryption.column].concat(others)),
  );
  const needed = groups.filter((names) => names.some((name) => Object.hasOwn(row, name))).flat();
  return { ...Object.fromEntries(needed.map((name) => [name, null])), ...row };
}

function refuseSelect(table: Table): void {
  const [first] = encryptedColumns(table);
  if (!first) return;
  refuse(
    'not_supported',
    first.encryption,
    'the database cannot encrypt the rows of a select',
    'select the rows, and insert them with `values`',
  );
}

/** Adds the default values that the app computes, because Drizzle would compute them only after the encryption. */
function withDefaults(table: Table, given: Row): Row {
  requireNoIndexValues(table, given);
  const row = { ...given };
  for (const { key, column } of encryptedColumns(table)) {
    if (!isAbsent(row[key])) continue;
    const create = column.defaultFn ?? column.onUpdateFn;
    if (create) row[key] = create();
    else delete row[key];
  }
  for (const needed of [idColumnOf(table), subjectColumnOf(table)]) {
    if (!needed || !isAbsent(row[needed.key]) || !needed.column.defaultFn) continue;
    const value: unknown = needed.column.defaultFn();
    row[needed.key] = is(value, SQL) ? value : new Param(value, needed.column);
  }
  return row;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || (is(value, Param) && value.value === undefined);
}

function idIn(table: Table, row: Row): RowId {
  const id = idColumnOf(table);
  const given = id && row[id.key];
  const value: unknown = is(given, Param) ? given.value : given;
  const isKnown = id && !isAbsent(given) && !isSql(value);
  if (isKnown && keepsForm(id.column, value)) return value as RowId;
  const bound = encryptedColumns(table).find(
    ({ key, encryption }) => hasValue(row[key]) && isBound(encryption),
  );
  if (!bound) return undefined;
  if (isKnown) {
    refuse(
      'row_unknown',
      bound.encryption,
      `the ciphertext is bound to the row id, but the database can return \`${id.key}\` in another form`,
      "pass the id in the form in which the database returns it, or define the encrypted column with { context: 'field' }",
    );
  }
  const { key } = requireIdColumn(table, bound.encryption);
  return refuse(
    'row_unknown',
    bound.encryption,
    `the ciphertext is bound to the row id, but \`${key}\` is not known before the insert`,
    `pass \`${key}\`, define it with \`.$defaultFn(() => crypto.randomUUID())\`, or define the encrypted column with { context: 'field' }`,
  );
}

function hasValue(given: unknown): boolean {
  const value: unknown = is(given, Param) ? given.value : given;
  return value !== undefined && value !== null;
}
