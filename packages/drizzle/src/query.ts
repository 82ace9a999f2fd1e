import { is, SQL, type SQLWrapper } from 'drizzle-orm';

export type Query = SQLWrapper & object;

export function isQuery(chunk: unknown): chunk is Query {
  if (typeof chunk !== 'object' || chunk === null || is(chunk, SQL)) return false;
  return 'getSQL' in chunk && 'getSelectedFields' in chunk;
}

/** True for SQL and for other objects that Drizzle turns into SQL: columns, tables, views, subqueries and queries. */
export function isSql(value: unknown): value is SQLWrapper {
  return (
    typeof value === 'object' && value !== null && 'getSQL' in value && typeof value.getSQL === 'function'
  );
}
