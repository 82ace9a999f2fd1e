// The rows of an insert: the id and the person of each, and their late values. In a conflict clause, the row that is there
// must have the id and the person that the written values are bound to: where the target of the clause does not say so, a
// condition does.
import { and, Column, is, Param, SQL, sql, type Table } from 'drizzle-orm';
import { type Row, type RowId, rowId, storedName } from './access.ts';
import { isQuery, isSameColumn, isSql, valueOf } from './chunks.ts';
import { refuse } from './error.ts';
import { findsSameForm, keepsForm } from './id-form.ts';
import type { Run } from './late.ts';
import { isNumbered, numberLater } from './numbers.ts';
import type { Builder, Methods, Shape, ShapeOf } from './run.ts';
import {
  type EncryptedEntry,
  type Encryption,
  encryptionOf,
  entryOf,
  isBound,
  type KeyedColumn,
  layoutOf,
  partsOf,
  readable,
  requireIdColumn,
} from './table.ts';
import { Excluded, requirePlainSelection } from './walk.ts';
import {
  encryptedValues,
  encryptLater,
  lateRow,
  type LateRow,
  refuseSubject,
  requireSameRow,
  shapeWrite,
  subjectIn,
  type WriteConfig,
  writtenRow,
} from './writes.ts';

interface InsertBuilder extends Builder {
  readonly config: WriteConfig & { readonly values: readonly Row[] | object; readonly select?: unknown };
}

/** A conflict clause of the app, which Drizzle would build at once. */
interface Conflict {
  readonly method: string;
  readonly config: ConflictConfig | undefined;
}

interface ConflictConfig {
  readonly target?: unknown;
  readonly set?: Row;
  readonly where?: SQL;
  readonly setWhere?: SQL;
}

export function shapesOfInsert(builder: InsertBuilder, database: Methods): ShapeOf {
  const isEncrypted = layoutOf(builder.config.table).columns.length > 0;
  const conflicts: Conflict[] = [];
  for (const method of ['onConflictDoUpdate', 'onConflictDoNothing', 'onDuplicateKeyUpdate']) {
    if (!isEncrypted || !(method in builder)) continue;
    Reflect.set(builder, method, (config: Conflict['config']) => {
      conflicts.push({ method, config });
      return builder;
    });
  }
  return (run) => shapeInsert(builder, conflicts, run, database);
}

function shapeInsert(
  builder: InsertBuilder,
  conflicts: readonly Conflict[],
  run: Run,
  database: Methods,
): Shape {
  const { table, values, select } = builder.config;
  const given = Array.isArray(values) ? (values as readonly Row[]) : [];
  const shape = shapeWrite(builder.config, given, run);
  const [first] = layoutOf(table).columns;
  if (select && first) {
    const problem = 'the database cannot encrypt the rows of a select';
    refuse('not_supported', first.encryption, problem, 'select the rows, and insert them with `values`');
  }
  if (isQuery(values)) requirePlainSelection(values, shape.scope);
  if (!first) return shape;
  const { id } = layoutOf(table);
  const mayNumber = id !== undefined && isNumbered(id.column) && conflicts.every((each) => !each.config?.set);
  const rows = given.map((row) => insertedRow(table, row, mayNumber));
  const numbered = rows.filter(({ values }) => values[rowId] === undefined && boundIn(table, values));
  const number = id && numbered.length > 0 ? numberLater(database, table, id, numbered) : undefined;
  encryptLater(table, rows, run, number);
  const written = rows.map(({ row, cells }) => ({ ...row, ...cells }));
  const config = { ...shape.config, values: written, ...(number && { overridingSystemValue_: true }) };
  const copy = Object.assign(Object.create(builder) as InsertBuilder, { config });
  const { key = '' } = id ?? {};
  const hasOwnIds = given.every((row) => valueOf(row[key]) !== undefined);
  const methods = Object.getPrototypeOf(builder) as Readonly<Record<string, (config: unknown) => void>>;
  const excludedOf = (column: Column): SQL => sql`excluded.${sql.identifier(storedName(builder, column))}`;
  const insert = { table, rows, hasOwnIds, run, excludedOf };
  for (const conflict of conflicts)
    methods[conflict.method]?.call(copy, conflict.config && changedConfig(conflict.config, insert));
  return { ...shape, members: { config: copy.config } };
}

/** A row for Drizzle, and its late values. `mayNumber` if it can get its id when the statement runs. */
function insertedRow(table: Table, given: Row, mayNumber: boolean): LateRow & { readonly row: Row } {
  const row = writtenRow(table, given, true);
  const { id, subject, columns } = layoutOf(table);
  for (const needed of [id, subject]) {
    if (!needed || valueOf(row[needed.key]) !== undefined || !needed.column.defaultFn) continue;
    const value: unknown = needed.column.defaultFn();
    row[needed.key] = is(value, SQL) ? value : new Param(value, needed.column);
  }
  const values = encryptedValues(table, row);
  const isFilled = Object.values(values).some((value) => value !== null);
  // A fingerprint of several columns is computed from all of them, so what the app omits is null.
  const groups = columns.flatMap(({ encryption }) =>
    Object.values(partsOf(encryption.field)).map(({ others }) => [encryption.column].concat(others)),
  );
  const needed = groups.filter((names) => names.some((name) => Object.hasOwn(values, name))).flat();
  const all = { ...Object.fromEntries(needed.map((name) => [name, null])), ...values };
  return {
    row,
    ...lateRow(
      table,
      { ...all, ...(isFilled && subjectIn(table, row)) },
      idIn(table, row, values, mayNumber),
    ),
  };
}

function idIn(table: Table, row: Row, values: Row, mayNumber: boolean): RowId {
  const id = layoutOf(table).id;
  const value = id && valueOf(row[id.key]);
  if (id && value !== undefined && !isSql(value) && keepsForm(id.column, value)) return value as RowId;
  const bound = boundIn(table, values);
  if (!bound || (mayNumber && value === undefined)) return undefined;
  const { key } = requireIdColumn(table, bound.encryption);
  return refuse(
    'row_unknown',
    bound.encryption,
    `the ciphertext is bound to \`${key}\` as the database returns it, which is not known before the insert`,
    `pass \`${key}\` in that form, give it a \`$defaultFn(() => crypto.randomUUID())\`, or use a field with { context: 'field' }`,
  );
}

/** A column with a value that is bound to the id of its row. */
const boundIn = (table: Table, values: Row): EncryptedEntry | undefined =>
  layoutOf(table).columns.find(({ encryption }) => {
    return (values[encryption.column] ?? null) !== null && isBound(encryption);
  });

interface Insert {
  readonly table: Table;
  readonly rows: readonly LateRow[];
  /** Whether the app passed the ids, and not a default. Only then can an id be that of the row that is there. */
  readonly hasOwnIds: boolean;
  readonly run: Run;
  readonly excludedOf: (column: Column) => SQL;
}

function changedConfig(config: ConflictConfig, insert: Insert): ConflictConfig {
  const same = new Set<Column>();
  const set = config.set && conflictSet(config.set, config.target, insert, same);
  const guards = Array.from(same, (column) => sql`${column} = ${insert.excludedOf(column)}`);
  const guarded = config.where ? 'where' : 'setWhere';
  return {
    ...config,
    [guarded]: and(config[guarded], ...guards),
    ...(config.target === undefined ? {} : { target: targetOf(config.target) }),
    ...(set && { set }),
  };
}

function targetOf(target: unknown): unknown {
  if (Array.isArray(target)) return target.map(targetOf);
  const encryption = encryptionOf(target);
  if (!encryption) return target;
  const { index } = entryOf(target as Column);
  if (index) return readable(index);
  const remedy = 'define it with `.unique()`, and its field with `.searchable()`';
  return refuse('not_searchable', encryption, 'the column has no unique index', remedy);
}

/** Notes in `same` the columns that the updated row must have in common with the row of the insert. */
function conflictSet(given: Row, target: unknown, insert: Insert, same: Set<Column>): Row {
  const { table, rows, hasOwnIds, run, excludedOf } = insert;
  requireSameRow(table, given);
  const set = writtenRow(table, given, false);
  const { id, subject } = layoutOf(table);
  const columns = [target].flat();
  const isIdTarget = columns.length === 1 && isAmong(id, columns);
  const isPersonTarget = isAmong(subject, columns);
  const isSameRow = isIdTarget || (isPersonTarget && hasOwnIds);
  const written = layoutOf(table).columns.filter(({ key }) => set[key] !== undefined);
  const filled = written.filter(({ key }) => set[key] !== null);
  const [first] = filled;
  const ids = rows.map(({ values }) => values[rowId]);
  const people = rows.map(({ values }) => subject && values[subject.column.name]);
  if (subject && first) {
    // Another row than that of the insert can be the data of another person.
    if (!isIdTarget && !isPersonTarget)
      refuseSubject(
        table,
        'the updated row can be the data of another person than the row of the insert',
        `${target && id ? 'use the id as `target`, or ' : ''}select the row first, then insert or update it`,
      );
    requireForm(subject, first.encryption, people);
    if (!isPersonTarget) same.add(subject.column);
  }
  const bound = filled.find(({ encryption }) => isBound(encryption));
  if (id && bound) {
    if (isSameRow) requireForm(id, bound.encryption, ids);
    if (!isIdTarget) same.add(id.column);
  }
  const own: Row = {};
  for (const entry of written) {
    const source = set[entry.key];
    const needsRow = source !== null && isBound(entry.encryption);
    if (!(source instanceof Excluded)) own[entry.key] = source;
    else for (const each of [entry, ...entry.indexes]) set[each.key] = excludedOf(each.column);
    const isOfRow =
      source instanceof Excluded
        ? isSameColumn(source.column, entry.column)
        : rows.length === 1 || source === null || !(needsRow || subject);
    if (!isOfRow || (needsRow && !isSameRow)) refuseRow(entry, target);
  }
  const values = encryptedValues(table, own);
  if (Object.keys(values).length === 0) return set;
  const person = subject && { [subject.column.name]: people[0] };
  const late = lateRow(table, { ...values, ...person }, ids[0]);
  encryptLater(table, [late], run);
  return { ...set, ...late.cells };
}

function isAmong(one: KeyedColumn | undefined, columns: readonly unknown[]): boolean {
  return one !== undefined && columns.some((each) => is(each, Column) && isSameColumn(each, one.column));
}

function requireForm({ key, column }: KeyedColumn, encryption: Encryption, values: readonly unknown[]): void {
  if (values.every((value) => value === undefined || findsSameForm(column, value))) return;
  refuse(
    'row_unknown',
    encryption,
    `the ciphertext is bound to \`${key}\`, which can be equal to a value with another text`,
    'select the row first, then insert or update it',
  );
}

function refuseRow({ encryption }: EncryptedEntry, target: unknown): never {
  const problem = 'the ciphertext is bound to the row id, and the clause can update a row with another id';
  const remedy = `${target ? 'use the id as `target` and `excluded`, or ' : ''}define the field with { context: 'field' }`;
  return refuse('row_unknown', encryption, problem, remedy);
}
