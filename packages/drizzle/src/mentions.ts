import { Column, is, Param, SQL, Subquery } from 'drizzle-orm';
import type { Builder } from './builder.ts';
import { encryptionOf } from './encryption.ts';
import { isQuery } from './query.ts';
import { flatFields } from './selected-fields.ts';

/** Whether SQL contains an encrypted column, or a parameter of one. */
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

/** Whether a statement uses encrypted columns, so that it cannot be built before they are encrypted. */
export function usesEncryption(builder: Builder, sql: () => SQL): boolean {
  const { fields, returning, withList } = builder.config;
  const listed = [...flatFields(fields ?? {}), ...(returning ?? [])].map(({ field }) => field);
  return mentionsEncrypted([...listed, ...(withList ?? [])]) || mentionsEncrypted(sql());
}
