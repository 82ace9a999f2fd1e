import { is, SQL, type SQLWrapper } from 'drizzle-orm';

export type Query = SQLWrapper & object;

export function isQuery(chunk: unknown): chunk is Query {
  if (typeof chunk !== 'object' || chunk === null || is(chunk, SQL)) return false;
  return 'getSQL' in chunk && 'getSelectedFields' in chunk;
}
