// The rows of an insert: the id and the person of each, and their late values. What a conflict clause sets is bound to the id
// and the person of the row that is there: those of the insert, if `target` says so, or those that are read before. For any
// other row, a guard makes the statement fail, because a row that is left alone keeps its old value without a word.
import { and, Column, eq, is, or, Param, SQL, type SQLChunk, sql, type Table } from 'drizzle-orm';
import { withPartners, writesOlder } from '@eaas/sdk/internal';
import { type Row, storedName } from './access.ts';
import { isQuery, isSameColumn, isSql, valueOf } from './chunks.ts';
import { refuse, unknownRow } from './error.ts';
import { storedIn } from './id-form.ts';
import type { Run } from './late.ts';
import { creatorOf, isNumbered } from './new-id.ts';
import { numberLater } from './numbers.ts';
import type { Builder, Methods, Shape, ShapeOf } from './run.ts';
import {
  boundTo,
  type EncryptedEntry,
  type Encryption,
  encryptionOf,
  entryOf,
  isBound,
  type KeyedColumn,
  layoutOf,
  readable,
  requireIdColumn,
} from './table.ts';
import { Excluded, requirePlainSelection, type Scope, walk } from './walk.ts';
import {
  besidesId,
  boundIn,
  encryptedValues,
  encryptFound,
  encryptLater,
  lateRow,
  type LateRow,
  refuseSubject,
  shapeWrite,
  requireSameRow,
  placeIn,
  type WriteConfig,
  writtenRow,
} from './writes.ts';

interface InsertBuilder extends Builder {
  readonly config: WriteConfig & { readonly values: readonly Row[] | object; readonly select?: unknown };
}

/** A conflict clause of the app, which Drizzle would build at once. */
type Conflict = readonly [method: string, config: ConflictConfig | undefined];

interface ConflictConfig {
  readonly target?: unknown;
  readonly targetWhere?: SQL;
  readonly set?: Row;
  readonly where?: SQL;
  readonly setWhere?: SQL;
}

/** `database` selects the rows that an upsert updates. */
export function shapesOfInsert(builder: InsertBuilder, database: Methods): ShapeOf {
  const isEncrypted = layoutOf(builder.config.table).columns.length > 0;
  const conflicts: Conflict[] = [];
  for (const method of ['onConflictDoUpdate', 'onConflictDoNothing', 'onDuplicateKeyUpdate']) {
    if (!isEncrypted || !(method in builder)) continue;
    Reflect.set(builder, method, (config?: ConflictConfig) => {
      conflicts.push([method, config]);
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
  const rows = given.map((row) => insertedRow(table, row, run));
  const isDrawn = ({ row, values }: InsertedRow): boolean =>
    id !== undefined &&
    isNumbered(id.column) &&
    valueOf(row[id.key]) === undefined &&
    boundIn(table, values) !== undefined;
  const numbered = rows.filter(isDrawn);
  const draws = numbered.length > 0;
  if (id && draws) numberLater(database, table, id, numbered, run);
  encryptLater(table, rows, run, draws ? run.later : run.first);
  const config = {
    ...shape.config,
    values: rows.map(({ row, cells }) => ({ ...row, ...cells })),
    ...(draws && { overridingSystemValue_: true }),
  };
  const copy = Object.assign(Object.create(builder) as InsertBuilder, { config });
  const methods = Object.getPrototypeOf(builder) as Readonly<Record<string, (config: unknown) => void>>;
  const excludedOf = (column: Column): SQL => sql`excluded.${sql.identifier(storedName(builder, column))}`;
  const insert = { table, rows, scope: shape.scope, database, excludedOf };
  for (const [method, clause] of conflicts) {
    methods[method]?.call(copy, clause && changedConfig(clause, insert));
  }
  const problem = 'the row that is there is not the one that the values were encrypted for';
  return { ...shape, members: { config: copy.config }, refuseRow: () => refuseRow(table, problem) };
}

/** A row for Drizzle, and its late values. */
interface InsertedRow extends LateRow {
  readonly row: Row;
  /** Whether the app named the person, and not a default. */
  readonly isOfGiven: boolean;
}

function insertedRow(table: Table, given: Row, run: Run): InsertedRow {
  const row = writtenRow(table, given, true);
  const { plain, person } = layoutOf(table);
  const isOfGiven = person.every(({ key }) => valueOf(row[key]) !== undefined);
  for (const { key, column } of plain) {
    const create = creatorOf(column);
    if (valueOf(row[key]) !== undefined || !create) continue;
    const value = create();
    row[key] = is(value, SQL) ? value : new Param(value, column);
  }
  const values = encryptedValues(table, row);
  const bound = boundIn(table, values);
  if (bound) requireIdColumn(table, bound);
  const all = withPartners(run.access.tableOf(table), values);
  return { row, isOfGiven, ...lateRow(run, table, all, ...placeIn(table, row)) };
}

interface Insert {
  readonly table: Table;
  readonly rows: readonly InsertedRow[];
  readonly scope: Scope;
  readonly database: Methods;
  readonly excludedOf: (column: Column) => SQL;
}

function changedConfig(config: ConflictConfig, insert: Insert): ConflictConfig {
  const target = config.target === undefined ? {} : { target: targetOf(config.target) };
  return { ...config, ...target, ...(config.set && changedSet(config.set, config, insert)) };
}

function targetOf(target: unknown): unknown {
  if (Array.isArray(target)) return target.map(targetOf);
  const encryption = encryptionOf(target);
  if (!encryption) return target;
  if (writesOlder(encryption.field)) return readable(target as Column);
  const { index } = entryOf(target as Column);
  if (index) return readable(index);
  const remedy = 'define it with `.unique()`, and its field with `.searchable()`';
  return refuse('not_searchable', encryption, 'the column has no unique index', remedy);
}

function changedSet(given: Row, config: ConflictConfig, insert: Insert): ConflictConfig {
  const { table, rows, excludedOf } = insert;
  requireSameRow(table, given, () => undefined);
  const set = writtenRow(table, given, false);
  const { id, columns } = layoutOf(table);
  const written = columns.filter(({ key }) => set[key] !== undefined);
  for (const { key, column, encryption } of written) {
    const source = set[key];
    if (!(source instanceof Excluded) || isSameColumn(source.column, column)) continue;
    const problem = 'a ciphertext is bound to its column, and `excluded` names another one';
    refuse('row_unknown', encryption, problem, 'use `excluded` of the column itself, or pass the value');
  }
  const named = Object.fromEntries(written.map(({ column }) => [column.name, null]));
  const all = withPartners(insert.scope.run.access.tableOf(table), named);
  const partner = columns.find(({ column }) => column.name in all && !(column.name in named));
  const problem = 'an index is computed from this column and from others, which the upsert sets';
  if (partner) refuse('not_supported', partner.encryption, problem, 'set this column too');
  const filled = written.filter(({ key, encryption }) => set[key] !== null && !writesOlder(encryption.field));
  const most = filled.find(({ encryption }) => isBound(encryption)) ?? filled[0];
  const needed = most ? boundTo(table, most.encryption) : [];
  if (config.target === undefined && needed.length > 0) {
    refuseRow(table, 'the clause names no `target`, so it can update another row than that of the insert');
  }
  const isIn = (one: KeyedColumn): boolean =>
    [config.target].flat().some((each) => is(each, Column) && isSameColumn(each, one.column));
  const isOneValue = rows.length === 1 || filled.every(({ key }) => set[key] instanceof Excluded);
  const isKnown = needed.every((each) => {
    const isSame = isIn(each) || (each.key !== id?.key && rows.every(({ isOfGiven }) => isOfGiven));
    const isExact = rows.every(({ row }) => storedIn(each.column, valueOf(row[each.key])).isExact);
    return isSame && isOneValue && isExact;
  });
  if (!isKnown && most) return setOfFound(set, written, most.encryption, config, insert);
  const others = needed.filter((each) => !isIn(each)).map(({ column }) => column);
  const same = and(...others.map((column) => sql`${column} = ${excludedOf(column)}`));
  const guard = others[0] && same && guarded(config, others[0], same);
  return { set: setOfInsert(set, written, insert), ...guard };
}

function refuseRow(table: Table, problem: string): never {
  const { bound, person } = layoutOf(table);
  const remedy = 'select the row first, then insert or update it';
  if (person.length > 0) refuseSubject(table, `${problem}, or it is the data of another person`, remedy);
  return refuse('row_unknown', bound?.encryption ?? {}, problem, remedy);
}

/** What is set, for a row with the id and the person of the insert. */
function setOfInsert(
  set: Row,
  written: readonly EncryptedEntry[],
  { table, rows, scope, excludedOf }: Insert,
): Row {
  const own: Row = {};
  for (const entry of written) {
    if (!(set[entry.key] instanceof Excluded)) own[entry.key] = set[entry.key];
    else for (const each of [entry, ...entry.indexes]) set[each.key] = excludedOf(each.column);
  }
  const values = encryptedValues(table, own);
  if (Object.keys(values).length === 0) return set;
  const late = lateRow(scope.run, table, values, ...placeIn(table, rows[0]?.row ?? {}));
  encryptLater(table, [late], scope.run);
  return { ...set, ...late.cells };
}

const conflicts = 'eaas names';

/** What is set, for the rows that are there, which are read before. */
function setOfFound(
  set: Row,
  written: readonly EncryptedEntry[],
  encryption: Encryption,
  config: ConflictConfig,
  { table, rows, scope, database }: Insert,
): ConflictConfig {
  const values = rows.map((row) => {
    const own = written.map(({ key, column }): [string, unknown] => {
      return [key, set[key] instanceof Excluded ? (row.values[column.name] ?? null) : set[key]];
    });
    return encryptedValues(table, Object.fromEntries(own));
  });
  const conditions = rows.map((row) => walk(conflictsWith(table, row, config), scope));
  // Names the rows of the insert that a row conflicts with.
  const tags = conditions.map((each, at) => sql`case when ${each} then ${sql.raw(`'${at} '`)} else '' end`);
  const find = { database, where: or(...conditions), more: { [conflicts]: sql.join(tags, sql` || `) } };
  const valuesOf = (row: Row): Row => {
    const [at, ...twins] = String(row[conflicts]).trim().split(' ');
    if (twins.length > 0) refuseRow(table, 'two rows of the insert have the same `target`');
    return values[Number(at)] ?? {};
  };
  const late = lateRow(scope.run, table, values[0] ?? {}, undefined);
  const isExpected = encryptFound(table, encryption, late, scope.run, find, valuesOf);
  return {
    set: { ...set, ...late.cells },
    ...guarded(config, requireIdColumn(table, encryption).column, isExpected),
  };
}

/** Finds the row that a row of the insert conflicts with. */
function conflictsWith(table: Table, { row, isOfGiven }: InsertedRow, config: ConflictConfig): SQL {
  const { columns, plain } = layoutOf(table);
  const named = isOfGiven ? besidesId(table).map(({ column }) => column) : [];
  const equal = [config.target, named].flat(2).map((column) => {
    const isIt = (one: KeyedColumn): boolean => is(column, Column) && isSameColumn(one.column, column);
    const { key = '', column: own } = columns.find(isIt) ?? plain.find(isIt) ?? {};
    const value = valueOf(row[key]);
    // A null is equal to nothing, so a row with one conflicts with none.
    if (value === null || (value === undefined && own?.hasDefault === false)) return sql`false`;
    if (own && value !== undefined && !isSql(value)) return eq(own, value);
    return refuseRow(table, `the row is found by \`${key}\`, which is not known before the insert`);
  });
  return and(...equal, config.targetWhere) as SQL;
}

/** Makes a clause fail for a row that is not expected. `column` is one of that row. */
function guarded(config: ConflictConfig, column: Column, isExpected: SQLChunk): ConflictConfig {
  const own = config.where ?? config.setWhere;
  // With a column in it, PostgreSQL does not compute it before it has a row.
  const text = sql`substr(coalesce(cast(${column} as text), ''), 1, 0) || ${sql.raw(unknownRow.sql)}`;
  const isPg = column.columnType.startsWith('Pg');
  const fail = isPg ? sql`cast(${text} as integer)` : sql`json_extract('1', ${text})`;
  const guard = sql`case when ${isExpected} then 1 else ${fail} end = 1`;
  return {
    [config.where ? 'where' : 'setWhere']: own ? sql`case when ${own} then ${guard} else false end` : guard,
  };
}
