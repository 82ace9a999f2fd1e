import { Column, is, Param, SQL, Subquery, Table } from 'drizzle-orm';
import type { Builder, BuilderConfig } from './builder.ts';
import { encryptedColumns, encryptionOf } from './encryption.ts';
import { isQuery } from './query.ts';
import { flatFields, opaqueSelection } from './selected-fields.ts';

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

export function writesEncrypted({ table, values, set }: BuilderConfig): boolean {
  if (!is(table, Table)) return false;
  const columns = encryptedColumns(table);
  if (values !== undefined) return columns.length > 0;
  return set !== undefined && columns.some(({ key, column }) => set[key] !== undefined || column.onUpdateFn);
}

export function usesEncryption(builder: Builder, sql: () => SQL): boolean {
  const { fields, returning, withList, setOperators = [], select, values } = builder.config;
  if (writesEncrypted(builder.config)) return true;
  const inner = [...setOperators.map(({ rightSelect }) => rightSelect), ...(select ? [values] : [])];
  if (inner.some((query) => isQuery(query) && opaqueSelection(query).length > 0)) return true;
  const listed = [...flatFields(fields ?? {}), ...(returning ?? [])].map(({ field }) => field);
  return mentionsEncrypted([...listed, ...(withList ?? [])]) || mentionsEncrypted(sql());
}
