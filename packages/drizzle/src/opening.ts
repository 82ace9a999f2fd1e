import { type Column, getTableName, is, Column as ColumnClass } from 'drizzle-orm';
import type { FieldError, OnError } from '@eaas/sdk/fields';
import type { SelectedField } from './builder.ts';
import { isSameColumn } from './chunks.ts';
import { type Encryption, encryptionOf, isBound, requireIdColumn, subjectColumnOf } from './encryption.ts';
import { refuse } from './error.ts';
import { type Narrowing, narrowed } from './narrowing.ts';
import { type WatchedField, watchedIn } from './plain-fields.ts';
import { type Access, type Row, type RowId, withId } from './records.ts';
import type { RewriteContext } from './search.ts';

interface Opened {
  readonly path: readonly string[];
  readonly column: Column;
  readonly encryption: Encryption;
  readonly idPath: readonly string[] | undefined;
  /** Where a row has the subject, if the table names one. */
  readonly subjectPath: readonly string[] | undefined;
}

export interface Opening {
  /**
   * The row ids and subjects that decryption needs and the app did not select. The package adds these to the query and
   * removes them from the rows.
   */
  readonly addedIds: Readonly<Record<string, Column>>;
  readonly columns: readonly Opened[];
  readonly watched: readonly WatchedField[];
  readonly narrowings: readonly Narrowing[];
}

export function planOpening(
  fields: readonly SelectedField[],
  sources: readonly unknown[],
  subqueries: RewriteContext['subqueries'],
): Opening {
  const addedIds: Record<string, Column> = {};
  const columns = fields.flatMap(({ path, field }): Opened[] => {
    const encryption = encryptionOf(field);
    if (!encryption) return [];
    const column = field as Column;
    const id = isBound(encryption) ? requireIdColumn(column.table, encryption) : undefined;
    const idPath = id && pathOf(id.column, encryption, 'the row id');
    const subject = subjectColumnOf(column.table);
    const subjectPath = subject && pathOf(subject.column, encryption, 'the subject of the row');
    return [{ path, column, encryption, idPath, subjectPath }];
  });
  return { addedIds, columns, watched: watchedIn(fields, sources), narrowings: [] };

  function pathOf(column: Column, encryption: Encryption, what: string): readonly string[] {
    const source = getTableName(column.table);
    requireSelected(column, what, encryption, subqueries.get(source));
    const selected = fields.find(({ field }) => is(field, ColumnClass) && isSameColumn(field, column));
    if (selected) return selected.path;
    const name = `eaas ${source}.${column.name}`;
    addedIds[name] = column;
    return [name];
  }
}

function requireSelected(
  column: Column,
  what: string,
  encryption: Encryption,
  selected: Readonly<Record<string, unknown>> | undefined,
): void {
  const isSelected =
    !selected ||
    Object.values(selected).some((field) => is(field, ColumnClass) && field.name === column.name);
  if (isSelected) return;
  refuse(
    'cannot_open',
    encryption,
    `the subquery does not select ${what}, which decryption needs`,
    `add \`${column.name}\` to the columns that the subquery selects`,
  );
}

function holderOf(row: Row, path: readonly string[]): Row | undefined {
  let holder: Row | null | undefined = row;
  for (let at = 0; at < path.length - 1; at++) holder = holder?.[path[at] ?? ''] as Row | null | undefined;
  return holder ?? undefined;
}

function valueAt(row: Row, path: readonly string[]): unknown {
  if (path.length === 1) return row[path[0] ?? ''];
  return holderOf(row, path)?.[path.at(-1) ?? ''];
}

/** Decrypts rows, and returns those that the query asked for: a search can find others too. */
export async function openRows(
  rows: readonly Row[],
  { addedIds, columns, watched, narrowings }: Opening,
  access: Access,
): Promise<readonly Row[]> {
  for (const { path, place } of watched) {
    access.report(
      place,
      rows.map((row) => valueAt(row, path)),
    );
  }
  await Promise.all(groupsOf(columns).map((group) => openGroup(rows, group, access)));
  const found = narrowed(rows, narrowings, access.recordsOf, valueAt);
  for (const name of Object.keys(addedIds)) for (const row of rows) delete row[name];
  return found;
}

function groupsOf(columns: readonly Opened[]): Opened[][] {
  const groups = new Map<string, Opened[]>();
  for (const opened of columns) {
    const source = JSON.stringify([
      opened.encryption.table,
      getTableName(opened.column.table),
      opened.idPath,
      opened.subjectPath,
    ]);
    for (let layer = 0; ; layer++) {
      const group = groups.get(`${source} ${layer}`) ?? [];
      if (group.some(({ encryption }) => encryption === opened.encryption)) continue;
      groups.set(`${source} ${layer}`, [...group, opened]);
      break;
    }
  }
  return [...groups.values()];
}

/** Passes the row of the query to the function of the app, instead of the row that was made for the SDK. */
function withQueriedRows(onError: OnError | undefined, stored: readonly Row[], rows: readonly Row[]) {
  if (typeof onError !== 'function') return onError;
  const queried = new Map<object, Row>(stored.map((values, at) => [values, rows[at] ?? {}]));
  return (error: FieldError, values: object) => onError(error, queried.get(values) ?? {});
}

async function openGroup(
  rows: readonly Row[],
  group: readonly Opened[],
  { recordsOf, onErrorOf }: Access,
): Promise<void> {
  const [first] = group;
  if (!first) return;
  const idPath = group.find((opened) => opened.idPath)?.idPath;
  const { subjectPath } = first;
  const subject = subjectPath && subjectColumnOf(first.column.table)?.column.name;
  const stored = rows.map((row) => {
    const values: Row = {};
    for (const { path, encryption } of group) values[encryption.column] = valueAt(row, path);
    if (subject !== undefined) values[subject] = valueAt(row, subjectPath ?? []);
    return withId(values, idPath && (valueAt(row, idPath) as RowId));
  });
  const onError = withQueriedRows(onErrorOf(first.encryption.table), stored, rows);
  const opened = await recordsOf(first.column.table).decrypt(stored, onError);
  for (const { path, encryption } of group) {
    const name = path.at(-1) ?? '';
    for (const [at, row] of rows.entries()) {
      const holder = holderOf(row, path);
      if (holder) holder[name] = opened[at]?.[encryption.column];
    }
  }
}
