// SQL that the app wrote itself, as text: it may read from encrypted tables, and must neither write to them nor compare their
// encrypted columns, which would store plaintext, or send it and find nothing.
import { is, Name, Param, SQL, StringChunk, Subquery, Table } from 'drizzle-orm';
import { isNamed, withoutTexts } from '@eaas/sdk/internal';
import { isQuery, textOf } from './chunks.ts';
import { refuse } from './error.ts';
import { encryptedColumns, ownNameOf } from './fields.ts';

/** What a statement says of the tables that it writes to. */
const targets = [
  /\b(?:insert|replace|merge)(?:\s+(?:or\s+\w+|into|only|ignore|delayed|\w+_priority))*\s+((?:"[^"]*"|`[^`]*`|\s*\.\s*|[^\s(;])+)/gi,
  /(?<!\b(?:for|key)\s+)\bupdate\b([^;]*?)\bset\b/gi,
  /\bcopy\b([^(;]*)(?:\([^)]*\)\s*)?\bfrom\b/gi,
  /\bload\s+(?:data|xml)\b[^;]*?\binto\s+table\b([^(;]*)/gi,
];

/** Returns a statement. Throws for SQL that writes to an encrypted table, and would store its values as they are. */
export function withoutRawWrite<Statement>(statement: Statement): Statement {
  if (isQuery(statement)) return statement;
  const code = codeIn(statement);
  const found = targets.flatMap((target) => Array.from(code.matchAll(target), ([, named]) => named));
  const [written] = encryptedIn(found.join(' '), 'table');
  if (!written) return statement;
  const problem = 'raw SQL that writes to an encrypted table would store its values without encryption';
  const remedy =
    'use `insert` and `update` of the database, or, if the statement writes no plaintext, `sql.identifier` with the name of the table';
  return refuse('not_supported', { table: written.table }, problem, remedy);
}

/** Where a part of a statement begins. */
const parts =
  /\b(?=(?:select|from|into|set|update|with|where|on|having|when|then|using|and|or|group|order|returning)\b)/i;

/** The parts that compare: conditions, and what has such an operator and neither sets nor defines columns. */
const condition = /^(?:where|on(?!\s+(?:column|conflict|duplicate))|having|when|using|and|or)\b/i;
const comparing =
  /^(?!\s*(?:alter|create|set|update)\b)[^]*(?:[=<~]|(?<![->])>|\b(?:in|i?like|between|similar|glob|regexp)\b)/i;

/** Names that are not compared: in a count, in a test for null, and those of types and functions. */
const uncompared =
  /\bcount\s*\(\s*[\w$."`]+\s*\)|[\w$."`]+\s+is\s+(?:not\s+)?null\b|(?:::\s*|\bas\s+)[\w$."`]+|[\w$."`]+\s*\(/gi;

/** Returns a statement. Throws for text that compares an encrypted column: it would send plaintext and find nothing. */
export function withoutRawSearch<Statement>(statement: Statement): Statement {
  const compared = codeIn(statement)
    .split(parts)
    .filter((part) => condition.test(part) || comparing.test(part));
  const text = compared.join(' ').replaceAll(uncompared, ' ');
  const columns = encryptedIn(text, 'column');
  const found = columns.length > 0 && encryptedIn(codeIn(statement, true), 'table', columns)[0];
  if (!found) return statement;
  const problem = 'text of SQL compares the column, in which the database sees only ciphertexts';
  const remedy =
    'compare by `${eq(…)}` of the column, or, if another table has a column of this name, by `${…}` of that one, or `sql.identifier`';
  return refuse('not_supported', found, problem, remedy);
}

/** The letters and digits with which a name begins, which stand together however it is written. */
const firstWord = (name: string): string => /[a-z\d]+/.exec(name.toLowerCase())?.[0] ?? '';

/** The encrypted columns that a text names, by their own names or those of their tables. */
function encryptedIn(text: string, by: 'table' | 'column', among = [...encryptedColumns.values()]) {
  // Not for all columns in every statement, because it compiles a pattern.
  const lower = text.toLowerCase();
  return among.filter((each) => lower.includes(firstWord(each[by])) && isNamed(each[by], text));
}

const codeIn = (statement: unknown, hasNames = false): string =>
  withoutTexts(typeof statement === 'string' ? statement : textIn(statement, hasNames));

const inQuotes = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The text that the app wrote, and the names of tables. `hasNames` if also what Drizzle and `sql.identifier` name. */
function textIn(chunk: unknown, hasNames: boolean): string {
  const inner = (each: unknown): string => textIn(each, hasNames);
  if (is(chunk, Param)) return ' ';
  if (is(chunk, StringChunk)) return textOf(chunk);
  if (is(chunk, SQL)) return chunk.queryChunks.map(inner).join('');
  if (Array.isArray(chunk)) return chunk.map(inner).join(',');
  if (is(chunk, Subquery)) return inner(chunk._.sql);
  if (is(chunk, Table)) return inQuotes(String(ownNameOf(chunk)));
  if (is(chunk, Name)) return hasNames ? inQuotes(chunk.value) : ' ';
  return isQuery(chunk) ? inner(chunk.getSQL()) : ' ';
}
