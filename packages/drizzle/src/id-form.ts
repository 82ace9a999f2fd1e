import { type Column, is, SQL } from 'drizzle-orm';
import { isSql } from './chunks.ts';

interface Forms {
  /** False if the database changes the text of an id when it stores the id. */
  readonly keeps: (text: string) => boolean;
  /** True if two ids with different texts are never equal in the database. */
  readonly isExact: boolean;
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * False if a comparison with this id also finds other ids. For example, in a column of numbers, `'007'` also finds 7.
 */
export function findsSameForm(column: Column, id: unknown): boolean {
  if (typeof id !== 'string') return column.dataType !== 'string';
  const text = column.mapToDriverValue(id);
  if (typeof text !== 'string') return !is(text, SQL);
  const { isExact, keeps } = formsOf(column);
  return uuid.test(text) || (isExact && keeps(text));
}

/** False if nobody knows the id before its statement, or the database stores it as another text, such as `7` for `'007'`. */
export function keepsForm(column: Column, id: unknown): boolean {
  if (id === undefined || isSql(id)) return false;
  const text = typeof id === 'string' ? column.mapToDriverValue(id) : id;
  return typeof text !== 'string' || formsOf(column).keeps(text);
}

function formsOf(column: Column): Forms {
  const type = column.getSQLType().toLowerCase();
  const isPg = column.columnType.startsWith('Pg');
  if (column.columnType === 'PgEnumColumn') return { isExact: true, keeps: () => true };
  if (column.dataType === 'number' || column.dataType === 'bigint')
    return { isExact: true, keeps: (text) => /^(?!-0$)-?(?:0|[1-9]\d*)$/.test(text) };
  const [isChar, length = '1'] = /^char(?:acter)?(?:\((\d+)\))?$/.exec(type) ?? [];
  if (isChar !== undefined) {
    return isPg
      ? { isExact: true, keeps: (text) => Array.from(text).length === Number(length) }
      : { isExact: false, keeps: (text) => !text.endsWith(' ') };
  }
  if (type === 'uuid' && isPg) return { isExact: true, keeps: (text) => uuid.test(text) };
  if (type === 'date') return { isExact: true, keeps: (text) => /^\d{4}-\d\d-\d\d$/.test(text) };
  if (/^(?:numeric|decimal|time|timestamp|datetime|interval|inet|cidr|macaddr8?)\b/.test(type))
    return { isExact: false, keeps: () => false };
  const isText = /^(?:text|varchar|character varying)\b(?!.*collate)/.test(type);
  return { isExact: isText && !column.columnType.startsWith('MySql'), keeps: () => true };
}
