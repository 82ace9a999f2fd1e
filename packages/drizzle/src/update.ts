import { and, type Column, eq, inArray, or, Param, type SQL, sql, type Table } from 'drizzle-orm';
import type { Builder, BuilderConfig } from './builder.ts';
import { comparedValue } from './chunks.ts';
import {
  encryptedColumns,
  type EncryptedEntry,
  type IdColumn,
  idColumnOf,
  isBound,
  requireIdColumn,
  subjectColumnOf,
} from './encryption.ts';
import { refuse } from './error.ts';
import { findsSameForm } from './id-form.ts';
import type { Access, Row, RowId } from './records.ts';
import { runReturning } from './returning.ts';
import { rewriteClauses, subqueriesOf } from './select.ts';
import {
  asSqlValues,
  encryptValues,
  requireNoIndexValues,
  requireSameId,
  requireSameSubject,
  rewriteOthers,
  valuesByColumn,
} from './values.ts';

export type SelectRows = (
  table: Table,
  columns: Readonly<Record<string, Column>>,
  clauses: Pick<BuilderConfig, 'where' | 'withList'>,
) => Promise<Row[]>;

// The largest number of parameters per statement. It is below the limits of all supported databases, of which SQLite
// has the lowest: 32,766.
const maxParameters = 30_000;

export async function runUpdate(builder: Builder, access: Access, selectRows: SelectRows): Promise<unknown> {
  const { config } = builder;
  const table = config.table as Table;
  const context = { ...access, subqueries: subqueriesOf(config), isRead: false };
  const clauses = await rewriteClauses(config, context);
  const { set: given, entries } = valuesToSet(table, config.set ?? {});
  const set = await rewriteOthers(table, given, context);
  const idColumn = idColumnOf(table);
  const subject = subjectColumnOf(table);
  const [known, person] = [idColumn, subject].map(
    (column) => column && comparedValue(clauses.where, column.column),
  );
  requireSameId(table, set, known);
  requireSameSubject(table, set, person);
  if (entries.length === 0) return runReturning(builder, { ...clauses, set }, context);
  const plain = valuesByColumn(entries, set);
  const bound = entries.find(
    ({ encryption }) => (subject ?? isBound(encryption)) && plain[encryption.column] !== null,
  );
  if (!bound) {
    const [stored = {}] = await encryptValues(entries, [plain], [undefined], access.recordsOf(table));
    return runReturning(builder, { ...clauses, set: { ...set, ...asSqlValues(stored) } }, context);
  }
  requireOneTable(config, bound);
  const id = requireIdColumn(table, bound.encryption);
  const none = Object.fromEntries(entries.map(({ key }) => [key, sql`null`]));
  const isKnown = known !== undefined && findsSameForm(id.column, known);
  // The id is the subject in many tables. Otherwise only the database knows whose data the row is.
  const isPersonKnown = !subject || subject.key === id.key;
  const columns = { id: id.column, ...(subject && { subject: subject.column }) };
  const rows =
    isKnown && isPersonKnown ? [{ id: known, subject: known }] : await selectRows(table, columns, clauses);
  const ids = rows.map((row) => row['id'] as RowId);
  const stored = await encryptValues(
    entries,
    rows.map((row) => ({ ...plain, ...(subject && { [subject.column.name]: row['subject'] }) })),
    ids,
    access.recordsOf(table),
  );
  requireFewRows(bound, stored, subject ? 2 : 1);
  return runReturning(
    builder,
    {
      ...clauses,
      set: { ...set, ...none, ...valuesOfRows(id, ids, stored) },
      where: ids.length === 0 ? sql`false` : and(clauses.where, stillThese(id, subject, rows)),
    },
    context,
  );
}

function valuesToSet(table: Table, given: Row): { set: Row; entries: EncryptedEntry[] } {
  requireNoIndexValues(table, given);
  const set: Row = { ...given };
  const entries = encryptedColumns(table).filter(({ key, column }) => {
    if (set[key] === undefined && column.onUpdateFn) set[key] = column.onUpdateFn();
    return set[key] !== undefined;
  });
  return { set, entries };
}

function valuesOfRows({ column: id }: IdColumn, ids: readonly RowId[], stored: readonly Row[]): Row {
  const [first = {}] = stored;
  if (stored.length === 1) return asSqlValues(first);
  return Object.fromEntries(
    Object.keys(first).map((key) => {
      if (stored.every((row) => row[key] === null)) return [key, sql`null`];
      const cases = stored.map((row, at) => sql`when ${new Param(ids[at], id)} then ${new Param(row[key])}`);
      return [key, sql`case ${id} ${sql.join(cases, sql` `)} end`];
    }),
  );
}

function requireOneTable(config: BuilderConfig, { encryption }: EncryptedEntry): void {
  const isOne =
    !config.from && !config.joins?.length && config.limit === undefined && !config.orderBy?.length;
  if (isOne) return;
  refuse(
    'row_unknown',
    encryption,
    'the ciphertext is bound to the row id, and an update with `from`, `limit` or `orderBy` does not say which rows it changes',
    'select the ids first, and update them with `inArray`',
  );
}

/** Finds the rows, unless one has become the data of another person since it was read. */
function stillThese(id: IdColumn, subject: IdColumn | undefined, rows: readonly Row[]): SQL | undefined {
  if (!subject || subject.key === id.key) {
    return inArray(
      id.column,
      rows.map((row) => row['id']),
    );
  }
  return or(...rows.map((row) => and(eq(id.column, row['id']), eq(subject.column, row['subject']))));
}

function requireFewRows({ encryption }: EncryptedEntry, stored: readonly Row[], names: number): void {
  const perRow = names + 2 * Object.keys(stored[0] ?? {}).length;
  const most = Math.floor(maxParameters / perRow);
  if (stored.length <= most) return;
  refuse(
    'too_many_rows',
    encryption,
    `one statement can encrypt at most ${most} rows (got ${stored.length})`,
    'update fewer rows at a time',
  );
}
