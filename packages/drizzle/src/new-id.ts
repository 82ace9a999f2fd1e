// The id of a new row, which must be known before the insert, because ciphertexts are bound to it.
import { type Column, is, SQL, StringChunk } from 'drizzle-orm';
import { refuse } from './error.ts';

/** Whether PostgreSQL numbers the rows by a column. */
export const isNumbered = ({ columnType, generatedIdentity }: Column): boolean =>
  columnType.startsWith('Pg') && (columnType.includes('Serial') || generatedIdentity !== undefined);

/** Returns what makes the value of a column in a new row: a function of the app, or here the same as `gen_random_uuid()`. */
export function creatorOf({ defaultFn, default: given, dataType }: Column): (() => unknown) | undefined {
  const [text] = is(given, SQL) && dataType === 'string' ? given.queryChunks : [];
  const isRandom = is(text, StringChunk) && text.value.join('') === 'gen_random_uuid()';
  return defaultFn ?? (isRandom ? () => crypto.randomUUID() : undefined);
}

/** Throws if only the database can make the id. */
export function requireKnown(id: Column, table: string): void {
  const isOfDatabase = is(id.default, SQL) || Reflect.get(id, 'autoIncrement') === true;
  if (!isOfDatabase || isNumbered(id) || creatorOf(id)) return;
  const problem = 'ciphertexts are bound to the id, which the database makes only with the insert';
  const remedy =
    "make it with `.$defaultFn(…)`, or use `{ context: 'field' }`: then whoever can write to the database can swap values";
  refuse('definition', { table, column: id.name }, problem, remedy);
}
