import {
  Column,
  getTableColumns,
  getTableName,
  getViewName,
  is,
  Name,
  SQL,
  StringChunk,
  Table,
  View,
} from 'drizzle-orm';
import type { ColumnPlace } from '@eaas/sdk/fields';
import type { BuilderConfig, SelectedField } from './builder.ts';
import { textOf } from './chunks.ts';
import { encryptedColumns, type Encryption, encryptionOf, isIndexColumn } from './encryption.ts';
import { refuse, refuseSql } from './error.ts';

// The fields that a statement returns without decryption. Users can type texts that look like ciphertexts, so only the
// statement can prove that the app reads an encrypted column under another name. Everything else is an event.

/** The encrypted columns in the schema of a database, by table and name. */
export type KnownColumns = ReadonlyMap<string, ReadonlyMap<string, Encryption>>;

/** Emits an event if a column that is not encrypted holds ciphertexts. */
export type Report = (place: ColumnPlace, values: readonly unknown[]) => void;

export interface WatchedField {
  readonly path: readonly string[];
  readonly place: ColumnPlace;
}

export function knownColumns(database: object): KnownColumns {
  const { _ } = database as { readonly _?: { readonly fullSchema?: Readonly<Record<string, unknown>> } };
  const tables = Object.values(_?.fullSchema ?? {}).filter((value): value is Table => is(value, Table));
  return new Map(
    tables
      .filter(isEncrypted)
      .map((table) => [
        originOf(table),
        new Map(encryptedColumns(table).map(({ column, encryption }) => [column.name, encryption])),
      ]),
  );
}

const isEncrypted = (table: Table): boolean =>
  Object.values<Column>(getTableColumns(table)).some((column) => encryptionOf(column));

const originalName = Symbol.for('drizzle:OriginalName');

/** Returns the name of the table in the database, also for an alias. */
const nameOf = (table: Table): string => String(Reflect.get(table, originalName));

const originOf = (table: Table): string =>
  JSON.stringify([Reflect.get(table, Symbol.for('drizzle:Schema')), nameOf(table)]);

/**
 * Throws if a field is an encrypted column under another name: a column of a second definition of its table, or SQL
 * that contains its name, such as `lower(patients.name)`.
 */
export function requirePlainFields(
  fields: readonly SelectedField[],
  sources: readonly unknown[],
  known: KnownColumns,
): void {
  if (known.size > 0) for (const { field } of fields) refuseSecondDefinition(field, known);
  const texts = fields.filter(({ field }) => is(field, SQL) || is(field, SQL.Aliased));
  if (texts.length === 0) return;
  const names = namesIn(sources);
  for (const { field } of texts) {
    const place = names.size > 0 ? namedIn(textIn(field), names) : undefined;
    if (place) refuseSql(place);
  }
}

function refuseSecondDefinition(field: unknown, known: KnownColumns): void {
  if (is(field, SQL.Aliased)) refuseSecondDefinition(field.sql, known);
  if (is(field, SQL)) for (const chunk of field.queryChunks) refuseSecondDefinition(chunk, known);
  if (!is(field, Column) || encryptionOf(field) || !is(field.table, Table)) return;
  const encryption = known.get(originOf(field.table))?.get(field.name);
  if (!encryption) return;
  refuse(
    'cannot_open',
    encryption,
    'the column is encrypted, but this definition of its table says that it is not',
    'use the table that `encryptedTable` returned',
  );
}

/** Throws if an insert or an update writes an encrypted column through a second definition of its table. */
export function requirePlainWrites({ table, set, values }: BuilderConfig, known: KnownColumns): void {
  const rows: object[] = set ? [set] : Array.isArray(values) ? values : [];
  const keys = new Set(known.size > 0 ? rows.flatMap(Object.keys) : []);
  for (const key of keys) refuseSecondDefinition(Reflect.get(table, key), known);
}

/** The names of the encrypted columns, as SQL writes them: `patients.name`, or `p.name` for an alias. */
function namesIn(sources: readonly unknown[]): Map<string, Encryption> {
  return new Map(
    sources.flatMap((source): [string, Encryption][] => {
      if (!is(source, Table)) return [];
      return encryptedColumns(source).map(({ column, encryption }) => [
        `${getTableName(source)}.${column.name}`.toLowerCase(),
        encryption,
      ]);
    }),
  );
}

const literals = /'(?:[^']|'')*'|--.*$|\/\*[^]*?\*\//gm;
const paths =
  /(?:"[^"]+"|`[^`]+`|[\p{L}_][\p{L}\p{N}_$]*)(?:\s*\.\s*(?:"[^"]+"|`[^`]+`|[\p{L}_][\p{L}\p{N}_$]*))+/gu;

/** Finds the first name in SQL, but not in `count(patients.name)` and `patients.name is null`, which need no value. */
function namedIn(sql: string, names: ReadonlyMap<string, Encryption>): Encryption | undefined {
  const text = sql.replaceAll(literals, ' ');
  for (const { 0: path, index } of text.matchAll(paths)) {
    const parts = path.split('.').map((part) => part.trim().replaceAll(/^["`]|["`]$/g, ''));
    const found = names.get(parts.slice(-2).join('.').toLowerCase());
    const after = text.slice(index + path.length);
    const isCounted = /\bcount\s*\(\s*$/i.test(text.slice(0, index)) && /^\s*\)/.test(after);
    if (found && !isCounted && !/^\s+is\s+(?:not\s+)?null\b/i.test(after)) return found;
  }
  return undefined;
}

function textIn(chunk: unknown): string {
  if (is(chunk, SQL.Aliased)) return textIn(chunk.sql);
  if (is(chunk, SQL)) return chunk.queryChunks.map(textIn).join('');
  if (is(chunk, StringChunk)) return textOf(chunk);
  if (is(chunk, Name)) return `"${chunk.value}"`;
  return is(chunk, Table) ? `"${getTableName(chunk)}"` : ' ? ';
}

/**
 * Returns the fields to report: expressions, and columns that can hold text, of views and of tables with encrypted
 * columns.
 */
export function watchedIn(fields: readonly SelectedField[], sources: readonly unknown[]): WatchedField[] {
  const names = new Set(sources.flatMap((source) => watchedName(source) ?? []));
  if (names.size === 0) return [];
  return fields.flatMap(({ path, field }): WatchedField[] => {
    if (encryptionOf(field) || isIndexColumn(field)) return [];
    if (!is(field, Column)) return [{ path, place: { column: path.join('.') } }];
    const { table, name, dataType } = field;
    const isWatched = names.has(getTableName(table)) && !/^(?:number|bigint|boolean|date)$/.test(dataType);
    return isWatched ? [{ path, place: { table: nameOf(table), column: name } }] : [];
  });
}

function watchedName(source: unknown): string | undefined {
  if (is(source, View)) return getViewName(source);
  return is(source, Table) && isEncrypted(source) ? getTableName(source) : undefined;
}

const reportedRows = 100;

/** Reports the columns of the first rows of a raw result, in which a mistake of the statement shows as well. */
export function reportRaw(result: unknown, report: Report): void {
  const { rows = result } = Object(result) as { rows?: unknown };
  const some = (list: readonly unknown[]): unknown[] => list.slice(0, reportedRows);
  // `mysql2` returns the rows and their columns as two lists.
  const found = some(some(Array.isArray(rows) ? rows : [rows]).flat());
  const objects = found.filter((row): row is Record<string, unknown> => {
    return typeof row === 'object' && row !== null && !ArrayBuffer.isView(row);
  });
  for (const column of Object.keys(objects[0] ?? {})) {
    report(
      { column },
      objects.map((row) => row[column]),
    );
  }
}
