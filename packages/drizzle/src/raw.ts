// SQL that the app wrote itself, as text: it may read from encrypted tables, and must neither write to them nor compare their
// encrypted columns, which would store plaintext, or send it and find nothing.
import { Column, getTableName, is, Name, SQL, StringChunk, Subquery, Table } from 'drizzle-orm';
import { withoutTexts } from '@eaas/sdk/internal';
import { isQuery, textOf } from './chunks.ts';
import { refuse } from './error.ts';
import { type KnownColumns, ownNameOf } from './fields.ts';
import { type Encryption, layoutOf, schemaOf } from './table.ts';

const writing =
  /(?<!\bfor\s+(?:no\s+key\s+)?)\bupdate\b|\b(?:insert|replace)\b(?!\s*\()|\bmerge\b|\bcopy\b|\bload\s+(?:data|xml)\b/i;

/** What a statement says of the tables that it writes to. */
const targets = [
  /\b(?:insert|replace|merge)(?:\s+(?:or\s+\w+|into|only|ignore|delayed|(?:low|high)_priority))*\s+((?:"[^"]*"|`[^`]*`|[^\s(;])+)/gi,
  /(?<!\b(?:for|key)\s+)\bupdate\b([^;]*?)\bset\b/gi,
  /\bcopy\b([^(;]*)(?:\([^)]*\)\s*)?\bfrom\b/gi,
  /\bload\s+(?:data|xml)\b[^;]*?\binto\s+table\b([^(;]*)/gi,
];

/**
 * Returns a statement that an app wrote itself. Throws if it writes and would store its values in an encrypted table as they
 * are: a `sql` template that has the table, or a column of it, in it, or a text that names it as the target. For a template,
 * it looks for the words of a write anywhere, because it is better to refuse one that only reads.
 */
export function withoutRawWrite<Statement>(statement: Statement, known: KnownColumns): Statement {
  const text = typeof statement === 'string' ? statement : textIn(statement);
  const table = (writing.test(text) ? encryptedTablesIn(statement)[0] : undefined) ?? targetIn(text, known);
  if (table === undefined) return statement;
  const problem =
    'raw SQL that writes cannot have an encrypted table in it, because its values would be stored without encryption';
  const remedy =
    'use `insert` and `update` of the database, or, if the statement writes no plaintext, `sql.identifier` with the name of the table';
  return refuse('not_supported', { table }, problem, remedy);
}

/** The text that the app itself wrote: without tables, and without the names of `sql.identifier`. */
function textIn(chunk: unknown): string {
  if (is(chunk, SQL)) return chunk.queryChunks.map(textIn).join('');
  return is(chunk, StringChunk) ? textOf(chunk) : ' ? ';
}

function targetIn(text: string, known: KnownColumns): string | undefined {
  const found = targets.flatMap((target) => Array.from(codeIn(text).matchAll(target), ([, named]) => named));
  const names = found.join(' ').match(tokens) ?? [];
  return known.all().find((each) => names.some((name) => isTable(name, each)))?.table;
}

const codeIn = (text: string): string => withoutTexts(text).replaceAll(/\s*\.\s*/g, '.');

/** The names of SQL, which a schema can precede, its other words, and its signs. */
const tokens = /(?:(?:"[^"]*"|`[^`]*`|[\p{L}\p{N}_$]+)\.?)+|[=<>!~]+|\S/gu;

const nameIn = (token: string): string => token.replaceAll(/["`\0]/g, '').toLowerCase();

/** Whether a name in SQL is that of the table, in any schema: which one it is in can depend on the tenant. */
const isTable = (given: string, { table }: Encryption): boolean =>
  `.${nameIn(given)}`.endsWith(`.${table.toLowerCase()}`);

function encryptedTablesIn(chunk: unknown): string[] {
  if (is(chunk, SQL)) return chunk.queryChunks.flatMap(encryptedTablesIn);
  if (Array.isArray(chunk)) return chunk.flatMap(encryptedTablesIn);
  const table = is(chunk, Column) ? chunk.table : chunk;
  return is(table, Table) ? layoutOf(table).columns.map(({ encryption }) => encryption.table) : [];
}

const definition = /^\s*(?:alter|analyze|comment|create)\b/i;
const condition = /^(?:where|on|having|when|using|and|or)$/i;
const otherClause = /^(?:select|from|into|set|update|with|group|order|returning|conflict|duplicate)$/i;
const comparing = /^(?:[=<>!~]+|(?:not|in|i?like|between|similar|glob|regexp)$)/i;

/** Throws for SQL whose text compares an encrypted column: with a value, it would send plaintext and find nothing. */
export function requireUncompared(statement: unknown, known: KnownColumns): void {
  const code = codeIn(typeof statement === 'string' ? statement : wholeTextIn(statement));
  const words = definition.test(code) ? [] : (code.match(tokens) ?? []);
  const columns = new Set(Array.from(new Set(words), (word) => columnIn(word)[0]));
  const named = known.all().filter((each) => columns.has(each.column.toLowerCase()));
  const compared = named.find((each) => isCompared(each, words));
  if (!compared) return;
  const problem =
    'SQL as text compares the column, and would find nothing, because the database sees only ciphertexts';
  const remedy =
    'compare by `${eq(…)}` of the column, or, if another table has a column of this name, write that table before it';
  refuse('not_supported', compared, problem, remedy);
}

/** The column that the app can mean, and the table before it. */
const columnIn = (word: string): string[] =>
  word.includes('\0') ? [] : nameIn(word).split('.').toReversed();

/** A column that only shows up in a list of columns, or in a test for null or a count, is not compared. */
function isCompared(encryption: Encryption, words: readonly string[]): boolean {
  if (!words.some((word) => isTable(word, encryption))) return false;
  const own = tableNamesIn(words, encryption);
  let clause = 'where';
  return words.some((word, at) => {
    if (condition.test(word) || otherClause.test(word)) clause = word;
    const [name, table] = columnIn(word);
    if (name !== encryption.column.toLowerCase() || (table !== undefined && !own.has(table))) return false;
    // The name of a type or of a function.
    if (/^(?:as|:)$/i.test(words[at - 1] ?? '') || words[at + 1] === '(') return false;
    if (/^is (?:not )?null\b/i.test(words.slice(at + 1, at + 4).join(' '))) return false;
    if (/^count \( \)$/i.test([words[at - 2], words[at - 1], words[at + 1]].join(' '))) return false;
    if (condition.test(clause)) return true;
    const isBeside = [words[at - 1], words[at + 1]].some((each) => comparing.test(each ?? ''));
    return isBeside && !/^(?:set|update)$/i.test(clause);
  });
}

/** What the text calls the table, also in a subquery: its name and its aliases. */
function tableNamesIn(words: readonly string[], encryption: Encryption): Set<string | undefined> {
  const names = words.flatMap((word, at) => {
    const isAs = /^as$/i.test(words[at + 1] ?? '');
    const isQuery = word === ')' || (isAs && words[at + 2] === '(');
    return isQuery || isTable(word, encryption) ? [word, words[at + (isAs ? 2 : 1)] ?? ''] : [];
  });
  return new Set(names.map((name) => nameIn(name).split('.').at(-1)));
}

/** The text of a statement, with its tables, and with names of Drizzle and of `sql.identifier`, which are marked. */
function wholeTextIn(chunk: unknown): string {
  if (Array.isArray(chunk)) {
    const texts = chunk.map(wholeTextIn);
    return texts.filter((text) => text !== ' ').join(', ');
  }
  if (is(chunk, SQL)) return chunk.queryChunks.map(wholeTextIn).join('');
  if (is(chunk, SQL.Aliased)) return wholeTextIn(chunk.sql);
  if (is(chunk, Subquery)) return `(${wholeTextIn(chunk._.sql)}) "${chunk._.alias}"`;
  if (is(chunk, Name)) return `"\0${chunk.value}"`;
  if (is(chunk, Table)) {
    const names = [schemaOf(chunk) ?? [], ownNameOf(chunk)].flat().map((name) => `"${String(name)}"`);
    return `${names.join('.')} "${getTableName(chunk)}"`;
  }
  if (isQuery(chunk)) return `(${wholeTextIn(chunk.getSQL())})`;
  return is(chunk, StringChunk) ? textOf(chunk) : ' ';
}
