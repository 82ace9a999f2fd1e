// How the database returns an id that the app writes, by the type of its column: ciphertexts are bound to the returned one.
import { type Column, is, SQL } from 'drizzle-orm';
import { storedId } from '@eaas/sdk/internal';
import { isSql } from './chunks.ts';

/**
 * Returns the id as the database returns it, or undefined if only the database knows it, and whether a comparison with it finds
 * only rows that have it.
 */
export function storedIn(column: Column, id: unknown): ReturnType<typeof storedId> {
  if (isSql(id)) return { id: undefined, isExact: false };
  const text = typeof id === 'string' ? column.mapToDriverValue(id) : undefined;
  if (typeof text !== 'string') {
    return { id, isExact: typeof id === 'string' ? !is(text, SQL) : column.dataType !== 'string' };
  }
  const { id: stored, isExact } = storedId(text, formOf(column));
  const isOther = stored !== undefined && stored !== text;
  return { id: isOther ? column.mapFromDriverValue(stored) : stored && id, isExact };
}

function formOf(column: Column): Parameters<typeof storedId>[1] {
  const type = column.getSQLType().toLowerCase();
  const isPg = column.columnType.startsWith('Pg');
  if (column.columnType === 'PgEnumColumn') return 'text';
  if (column.dataType === 'number' || column.dataType === 'bigint') return 'integer';
  const [isChar, length = '1'] = /^char(?:acter)?(?:\((\d+)\))?$/.exec(type) ?? [];
  if (isChar !== undefined) return isPg ? { padded: Number(length) } : 'trimmed';
  if (type === 'uuid' && isPg) return 'uuid';
  if (type === 'date') return 'date';
  if (/^(?:numeric|decimal|time|timestamp|datetime|interval|inet|cidr|macaddr8?)\b/.test(type)) {
    return 'other';
  }
  const isText = /^(?:text|varchar|character varying)\b(?!.*collate)/.test(type);
  return isText && !column.columnType.startsWith('MySql') ? 'text' : 'folded';
}
