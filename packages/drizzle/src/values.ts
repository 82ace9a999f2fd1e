import { is, Param, Placeholder, type SQL, sql, type Table } from 'drizzle-orm';
import {
  boundColumnOf,
  type EncryptedEntry,
  encryptedColumns,
  type Encryption,
  idColumnOf,
  subjectColumnOf,
} from './encryption.ts';
import { refuse, refusePlaceholder } from './error.ts';
import { isSql } from './chunks.ts';
import { keepsForm } from './id-form.ts';
import { type Row, type RowId, type TableRecords, withId } from './records.ts';
import { rewrite } from './rewrite.ts';
import type { RewriteContext } from './search.ts';

function plainValue(stored: unknown, encryption: Encryption): unknown {
  const value = given(stored);
  if (is(value, Placeholder)) refusePlaceholder(encryption);
  if (isSql(value)) {
    refuse(
      'not_supported',
      encryption,
      'the database cannot encrypt the result of SQL',
      'compute the value in the app',
    );
  }
  return value;
}

export function requireNoIndexValues(table: Table, values: Row): void {
  for (const { encryption, indexes } of encryptedColumns(table)) {
    const index = indexes.find(({ key }) => Object.hasOwn(values, key));
    if (index) refuse('schema', encryption, 'the index column is computed', `omit \`${index.key}\``);
  }
}

export function requireSameId(table: Table, set: Row, known?: unknown): void {
  const bound = boundColumnOf(table);
  const id = idColumnOf(table);
  if (!bound || !id || set[id.key] === undefined) return;
  if (known !== undefined && given(set[id.key]) === known) return;
  refuse(
    'row_unknown',
    bound.encryption,
    'the update changes the row id that the ciphertext is bound to',
    'insert a row with the new id, and delete the old row',
  );
}

const given = (value: unknown): unknown => (is(value, Param) ? value.value : value);

/** The subject of a row, by the name of its column. Throws if only the database knows it. */
export function subjectIn(table: Table, row: Row): Row {
  const subject = subjectColumnOf(table);
  if (!subject) return {};
  const value = given(row[subject.key]);
  const isKnown = !isSql(value) && !is(value, Placeholder) && value !== undefined && value !== null;
  if (!isKnown || !keepsForm(subject.column, value)) {
    refuseSubject(
      table,
      `the row is encrypted for the person in \`${subject.key}\`, which is not known before the statement`,
      `pass \`${subject.key}\` in the form in which the database returns it`,
    );
  }
  return { [subject.column.name]: value };
}

export function refuseSubject(table: Table, problem: string, remedy: string): never {
  const [first] = encryptedColumns(table);
  const place = { table: first?.encryption.table, column: subjectColumnOf(table)?.column.name };
  return refuse('subject_unknown', place, problem, remedy);
}

/** Throws if an update makes a row the data of another person, whose data keys do not open its ciphertexts. */
export function requireSameSubject(table: Table, set: Row, known?: unknown): void {
  const subject = subjectColumnOf(table);
  if (!subject || set[subject.key] === undefined) return;
  if (known !== undefined && given(set[subject.key]) === known) return;
  refuseSubject(
    table,
    'the update changes whose data the row is, but its ciphertexts stay those of the first person',
    'insert a row for the other person, and delete the old row',
  );
}

export function valuesByColumn(entries: readonly EncryptedEntry[], row: Row): Row {
  return Object.fromEntries(
    entries
      .filter(({ key }) => row[key] !== undefined)
      .map(({ key, encryption }) => [encryption.column, plainValue(row[key], encryption)]),
  );
}

/** Throws if an SQL expression in `values` could copy a ciphertext into another column. */
export async function rewriteValues(values: Row, context: RewriteContext): Promise<Row> {
  const expressions = Object.entries(values).filter(([, value]) => isSql(value));
  if (expressions.length === 0) return values;
  const rewritten = expressions.map(async ([name, value]) => [name, await rewrite(value, context)] as const);
  return { ...values, ...Object.fromEntries(await Promise.all(rewritten)) };
}

export async function rewriteOthers(table: Table, values: Row, context: RewriteContext): Promise<Row> {
  const encrypted = new Set(encryptedColumns(table).map(({ key }) => key));
  const others = Object.entries(values).filter(([key]) => !encrypted.has(key));
  return { ...values, ...(await rewriteValues(Object.fromEntries(others), context)) };
}

export async function encryptValues(
  entries: readonly EncryptedEntry[],
  rows: readonly Row[],
  ids: readonly RowId[],
  records: TableRecords,
): Promise<Row[]> {
  const encrypted = await records.encrypt(rows.map((row, at) => withId({ ...row }, ids[at])));
  return encrypted.map((row) => {
    const stored: Row = {};
    for (const { key, encryption, indexes } of entries) {
      if (!Object.hasOwn(row, encryption.column)) continue;
      stored[key] = row[encryption.column];
      for (const index of indexes) stored[index.key] = row[index.name];
    }
    return stored;
  });
}

/**
 * Wraps a stored value in an `SQL` object, so that Drizzle passes the value to the database unchanged. Without this
 * object, Drizzle would encode the value for the type of the column.
 */
function asSql(value: unknown): SQL {
  return sql`${new Param(value)}`;
}

export function asSqlValues(values: Row): Record<string, SQL> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asSql(value)]));
}
