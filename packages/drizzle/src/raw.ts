import { Column, is, SQL, StringChunk, Table } from 'drizzle-orm';
import { textOf } from './comparison.ts';
import { encryptedColumns } from './encryption.ts';
import { refuse } from './error.ts';

const writing =
  /(?<!\bfor\s+(?:no\s+key\s+)?)\bupdate\b|\b(?:insert|replace)\b(?!\s*\()|\bmerge\b|\bcopy\b|\bload\s+(?:data|xml)\b/i;

/**
 * Returns a statement that an app wrote itself. Throws if it is a `sql` template that writes and has an encrypted table,
 * or a column of one, in it, because its values would be stored as they are. Looks for the words of a write anywhere in the template, also
 * in comments and texts: it is better to refuse a template that only reads.
 */
export function withoutRawWrite<Statement>(statement: Statement): Statement {
  if (!is(statement, SQL)) return statement;
  const [table] = encryptedTablesIn(statement);
  if (table === undefined || !writing.test(sqlOf(statement))) return statement;
  return refuse(
    'not_supported',
    { table },
    'raw SQL that writes cannot have an encrypted table in it, because its values would be stored without encryption',
    'use `insert` and `update` of the database, or, if the statement writes no plaintext, `sql.identifier` with the name of the table',
  );
}

function encryptedTablesIn(chunk: unknown): string[] {
  if (is(chunk, SQL)) return chunk.queryChunks.flatMap(encryptedTablesIn);
  if (Array.isArray(chunk)) return chunk.flatMap(encryptedTablesIn);
  const table = is(chunk, Column) ? chunk.table : chunk;
  if (!is(table, Table)) return [];
  return encryptedColumns(table).map(({ encryption }) => encryption.table);
}

/** Returns the SQL with `?` instead of tables, columns and values. */
function sqlOf(chunk: unknown): string {
  if (is(chunk, SQL)) return chunk.queryChunks.map(sqlOf).join('');
  if (Array.isArray(chunk)) return chunk.map(sqlOf).join(', ');
  return is(chunk, StringChunk) ? textOf(chunk) : ' ? ';
}
