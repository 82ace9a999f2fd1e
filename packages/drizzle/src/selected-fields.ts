import { Column, getTableColumns, is, SQL, Subquery, Table } from 'drizzle-orm';
import { computedPlace } from './chunks.ts';
import { isIndexColumn } from './encryption.ts';
import type { ColumnPlace } from './error.ts';
import type { Fields, SelectedField } from './builder.ts';

function isField(value: unknown): boolean {
  return is(value, Column) || is(value, SQL) || is(value, SQL.Aliased) || is(value, Subquery);
}

export function flatFields(fields: Fields, path: readonly string[] = []): SelectedField[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const here = [...path, name];
    if (isIndexColumn(field)) return [];
    if (isField(field)) return [{ path: here, field }];
    return flatFields(is(field, Table) ? getTableColumns(field) : (field as Fields), here);
  });
}

export function withoutIndexColumns(fields: Fields): Fields {
  const entries = Object.entries(fields).flatMap(([name, field]): [string, unknown][] => {
    if (isIndexColumn(field)) return [];
    if (isField(field)) return [[name, field]];
    return [[name, withoutIndexColumns(is(field, Table) ? getTableColumns(field) : (field as Fields))]];
  });
  return Object.fromEntries(entries);
}

/**
 * Finds the encrypted column or index column in each selected expression, and returns its table and its name. Omits all
 * other expressions.
 */
export function opaqueSelection(query: object): ColumnPlace[] {
  const selected = '_' in query ? (query._ as { selectedFields?: Fields }).selectedFields : undefined;
  return flatFields(selected ?? {}).flatMap(({ field }) => computedPlace(field) ?? []);
}
