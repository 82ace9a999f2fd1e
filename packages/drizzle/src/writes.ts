// What statements write: the late values of a row, whose row and whose data it stays, and what they return. An update also finds
// the rows that it changes, because a ciphertext is bound to its row.
import { and, eq, inArray, isNull, or, Param, type SQL, sql, type SQLChunk, type Table } from 'drizzle-orm';
import type { RecordId } from '@eaas/sdk/fields';
import { isSameId, type Unsealed, withoutOwn, writesOlder } from '@eaas/sdk/internal';
import type { Row } from './access.ts';
import { comparedValue, isSql, valueOf } from './chunks.ts';
import { refuse } from './error.ts';
import { requireFirstDefinition, type SelectedField, type Sources, sourcesOf } from './fields.ts';
import { storedIn } from './id-form.ts';
import { Late, type Run } from './late.ts';
import { newReading, readFields } from './results.ts';
import type { Methods, Shape } from './run.ts';
import { type Encryption, isBound, type KeyedColumn, layoutOf, requireIdColumn } from './table.ts';
import { walk } from './walk.ts';

/** The id of a row, undefined until it is known. */
export type RowId = RecordId | undefined;

export interface WriteConfig extends Sources {
  readonly table: Table;
  readonly returning?: readonly SelectedField[] | undefined;
}

/** Returns the shape of a write without encrypted columns. `rows` are what it writes, by the keys of columns. */
export function shapeWrite<Config extends WriteConfig>(config: Config, rows: readonly object[], run: Run) {
  const { table, returning } = config;
  const scope = { run, isRead: false, sources: sourcesOf(config) };
  for (const key of new Set(rows.flatMap(Object.keys))) {
    requireFirstDefinition(Reflect.get(table, key), run.access);
  }
  for (const { field } of returning ?? []) requireFirstDefinition(field, run.access);
  const reading = newReading();
  const read = returning && { ...config, returning: readFields(returning, [], reading) };
  return { config: read ?? config, members: { config: read ?? config }, reading, scope };
}

/** Returns what the app writes to the columns of a table, also by its functions, which thereby run once. */
export function writtenRow(table: Table, given: Row, isNew: boolean): Row {
  const row = { ...given };
  for (const { key, encryption, indexes } of layoutOf(table).columns) {
    const index = indexes.find((each) => Object.hasOwn(row, each.key));
    if (index) refuse('index_column', encryption, 'the index column is computed', `omit \`${index.key}\``);
    if (valueOf(row[key]) !== undefined) continue;
    const { create, update } = encryption;
    const compute = isNew ? (create ?? update) : update;
    if (compute) row[key] = compute();
    else delete row[key];
  }
  return row;
}

/** Returns the values for encrypted columns, by the names of the columns. */
export function encryptedValues(table: Table, row: Row): Row {
  const values: Row = {};
  for (const { key, encryption } of layoutOf(table).columns) {
    const value = valueOf(row[key]);
    if (value === undefined) continue;
    const problem = 'the database cannot encrypt the result of SQL';
    if (isSql(value)) refuse('not_supported', encryption, problem, 'compute the value in the app');
    values[encryption.column] = value;
  }
  return values;
}

/** A column with a value whose ciphertext is bound to the id of its row, or is of a person. */
export const boundIn = (table: Table, values: Row, isOfPerson = false): Encryption | undefined =>
  layoutOf(table).columns.find(({ encryption }) => {
    const isSealed = (values[encryption.column] ?? null) !== null && !writesOlder(encryption.field);
    return isSealed && (isOfPerson || isBound(encryption));
  })?.encryption;

/** A row to encrypt, and what stands for its values in a statement until then. */
export interface LateRow extends Unsealed {
  id: RowId;
  readonly cells: Readonly<Record<string, Late>>;
  readonly settle: (stored: (name: string) => SQLChunk) => void;
}

export function lateRow({ access }: Run, table: Table, values: Row, id: RowId, person?: Row): LateRow {
  const all = layoutOf(table)
    .columns.filter(({ encryption }) => Object.hasOwn(values, encryption.column))
    .flatMap(({ key, encryption, indexes }) => [{ key, name: encryption.column }].concat(indexes))
    .map(({ key, name }) => ({ key, name, late: new Late() }));
  const settle: LateRow['settle'] = (stored) => {
    for (const { name, late } of all) late.settle(stored(name));
  };
  const cells = Object.fromEntries(all.map(({ key, late }) => [key, late]));
  const put = (stored: Row): void => settle((name) => new Param(stored[name] ?? null));
  return { table: access.tableOf(table), values, id, person, cells, settle, put };
}

/** Encrypts rows when the statement runs, and settles their late values. */
export function encryptLater(table: Table, rows: readonly LateRow[], run: Run, steps = run.first): void {
  for (const { values } of rows) run.statement.requireUser(run.access.tableOf(table), values);
  steps.push(async () => run.statement.seal(rows));
}

/**
 * Throws if an update changes the id that a ciphertext is bound to, or makes a row the data of another person, whose data keys
 * do not open its ciphertexts. `known` says what all its rows have in a column.
 */
export function requireSameRow(table: Table, set: Row, known: (of: KeyedColumn) => unknown): void {
  const { bound, id, person } = layoutOf(table);
  const isChanged = (of: KeyedColumn): boolean => {
    if (set[of.key] === undefined) return false;
    const value = known(of);
    return value === undefined || !isSameId(storedIn(of.column, valueOf(set[of.key])).id, value);
  };
  if (bound && id && isChanged(id)) {
    const problem = 'the update changes the row id that the ciphertext is bound to';
    refuse('row_unknown', bound.encryption, problem, 'insert a row with the new id, and delete the old row');
  }
  if (!person.some(isChanged)) return;
  const problem =
    'the update changes whose data the row is, but its ciphertexts stay those of the first person';
  refuseSubject(table, problem, 'insert a row for the other person, and delete the old row');
}

/** The id of a new row, and the columns that name its person, as the database returns them: undefined if only it knows them. */
export function placeIn(table: Table, row: Row): [id: RowId, person: Row] {
  const { id, person } = layoutOf(table);
  const valueIn = ({ key, column }: KeyedColumn): unknown => storedIn(column, valueOf(row[key])).id;
  return [
    id && (valueIn(id) as RowId),
    Object.fromEntries(person.map((each) => [each.column.name, valueIn(each)])),
  ];
}

/** The columns that name the person of a row, unless its id does. */
export const besidesId = (table: Table): readonly KeyedColumn[] =>
  layoutOf(table).person.filter(({ key }) => key !== layoutOf(table).id?.key);

export function refuseSubject(table: Table, problem: string, remedy: string): never {
  const { columns, person } = layoutOf(table);
  const place = { table: columns[0]?.encryption.table, column: person[0]?.column.name };
  return refuse('subject_unknown', place, problem, remedy);
}

interface UpdateConfig extends WriteConfig {
  readonly set: Row;
  readonly where?: SQL | undefined;
  readonly withList?: readonly unknown[] | undefined;
  readonly limit?: unknown;
  readonly orderBy?: readonly unknown[] | undefined;
}

/** `database` selects the rows that an update finds. */
export function shapeUpdate(given: UpdateConfig, run: Run, database: Methods): Shape {
  const { table } = given;
  const shape = shapeWrite(given, [given.set], run);
  const set = writtenRow(table, given.set, false);
  const known = ({ column }: KeyedColumn): unknown => {
    const { id, isExact } = storedIn(column, comparedValue(given.where, column));
    return isExact ? id : undefined;
  };
  requireSameRow(table, set, known);
  const written = encryptedValues(table, set);
  if (Object.keys(written).length === 0) return shape;
  const { columns, id: key } = layoutOf(table);
  const values = withoutOwn(run.access.tableOf(table), written, key && (known(key) as RowId));
  for (const each of columns) if (!(each.encryption.column in values)) delete set[each.key];
  // An update of handles alone must set something.
  if (key && Object.keys(set).length === 0) set[key.key] = key.column;
  const late = lateRow(run, table, values, undefined);
  // The rows are selected with the same late conditions as they are updated.
  const where = given.where && walk(given.where, shape.scope);
  const withList = given.withList?.map((query) => walk(query, shape.scope));
  const changed = { ...shape.config, set: { ...set, ...late.cells }, where, withList };
  const bound = boundIn(table, values, layoutOf(table).person.length > 0);
  if (!bound) {
    encryptLater(table, [late], run);
    return { ...shape, members: { config: changed } };
  }
  requireOneTable(given, bound);
  const own = requireIdColumn(table, bound);
  const id = known(own);
  // The id is the subject in many tables. Otherwise only the database knows whose data the row is.
  const isKnown = id !== undefined && besidesId(table).length === 0;
  const rows = isKnown ? [{ [own.key]: id }] : undefined;
  const of = withList?.length ? (database['with']?.(...withList) as Methods) : database;
  const guard = encryptFound(table, bound, late, run, rows ?? { database: of, where }, () => values);
  return { ...shape, members: { config: { ...changed, where: and(where, guard) } } };
}

interface Find {
  readonly database: Methods;
  readonly where: SQL | undefined;
  /** What is selected beside the ids and the people of the rows. */
  readonly more?: object;
}

/** Encrypts values for rows that are there, which are known or found before. Returns the condition that finds these rows. */
export function encryptFound(
  table: Table,
  encryption: Encryption,
  late: LateRow,
  { access, statement, first, later }: Run,
  given: readonly Row[] | Find,
  valuesOf: (row: Row) => Row,
): SQL {
  const { person } = layoutOf(table);
  const own = requireIdColumn(table, encryption);
  const guard = new Late();
  const find = async ({ database, where, more }: Find): Promise<Row[]> => {
    const known = [own, ...person].map(({ key, column }) => [key, column] as const);
    const columns = { ...Object.fromEntries(known), ...more };
    const query = database['select']?.(columns) as { from(table: Table): { where(where?: SQL): unknown } };
    return (await query.from(table).where(where)) as Row[];
  };
  const isKnown = !('database' in given);
  statement.requireUser(access.tableOf(table));
  (isKnown ? first : later).push(async () => {
    const rows = isKnown ? given : await find(given);
    const stored: Row[] = [];
    const unsealed = rows.map((row, at): Unsealed => ({
      table: late.table,
      values: valuesOf(row),
      id: row[own.key] as RowId,
      person: Object.fromEntries(person.map(({ key, column }) => [column.name, row[key]])),
      put: (one) => {
        stored[at] = one;
      },
    }));
    await statement.seal(unsealed);
    late.settle((name) => valuesOfRows(own, rows, stored, name));
    guard.settle(stillThese(own, besidesId(table), rows));
  });
  return guard;
}

/** Returns the value of a column in each row. */
function valuesOfRows(id: KeyedColumn, rows: readonly Row[], stored: readonly Row[], name: string): SQLChunk {
  if (stored.every((row) => (row[name] ?? null) === null)) return sql`null`;
  if (stored.length === 1) return new Param(stored[0]?.[name]);
  const cases = stored.map((row, at) => {
    return sql`when ${new Param(rows[at]?.[id.key], id.column)} then ${new Param(row[name])}`;
  });
  return sql`case ${id.column} ${sql.join(cases, sql` `)} end`;
}

function requireOneTable(config: UpdateConfig, encryption: Encryption): void {
  const isOne =
    !config.from && !config.joins?.length && config.limit === undefined && !config.orderBy?.length;
  if (isOne) return;
  const problem =
    'the ciphertext is bound to the row id, and an update with `from`, `limit` or `orderBy` does not say which rows it changes';
  refuse('row_unknown', encryption, problem, 'select the ids first, and update them with `inArray`');
}

/** Finds the rows, unless one has become the data of another person since it was read. */
function stillThese(id: KeyedColumn, person: readonly KeyedColumn[], rows: readonly Row[]): SQLChunk {
  if (rows.length === 0) return sql`false`;
  const ids = rows.map((row) => row[id.key]);
  if (person.length === 0) return inArray(id.column, ids);
  const isSame = ({ key, column }: KeyedColumn, row: Row): SQL =>
    row[key] === null ? isNull(column) : eq(column, row[key]);
  return or(...rows.map((row) => and(...[id, ...person].map((each) => isSame(each, row)))));
}
