import type { Column } from 'drizzle-orm';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const exactTexts = new Set(['PgText', 'PgVarchar', 'SQLiteText']);

/** False if a condition with this id can find a row whose id has another form, such as `'007'` and 7. */
export function findsSameForm({ columnType, dataType }: Column, id: unknown): boolean {
  if (exactTexts.has(columnType)) return true;
  return typeof id === 'string' ? uuid.test(id) : dataType !== 'string';
}

/** False if the database changes the form of the id when it stores the id. */
export function keepsForm(column: Column & { readonly length?: number }, id: unknown): boolean {
  const { columnType, dataType, length = 1 } = column;
  if (typeof id !== 'string') return true;
  if (dataType === 'number' || dataType === 'bigint') return /^(?:0|-?[1-9]\d*)$/.test(id);
  if (columnType === 'PgUUID') return uuid.test(id);
  return columnType !== 'PgChar' || Array.from(id).length === length;
}
