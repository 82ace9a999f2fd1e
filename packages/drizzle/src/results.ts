// How results are decrypted. A statement reads stored values as markers, and besides, under names that no app uses, the ids
// and the people that they are bound to. One walk over the result finds them, and all are opened together.
import { Column, getTableName, getTableUniqueName, is, type SQL, sql, type Table } from 'drizzle-orm';
import type { CoreTable, Sealed } from '@eaas/sdk/internal';
import type { Row } from './access.ts';
import type { SelectedField } from './fields.ts';
import type { Run } from './late.ts';
import { boundTo, encryptionOf, isIndexColumn, layoutOf, readable, Stored } from './table.ts';
import { selectedField, type WideSearch } from './walk.ts';
import type { RowId } from './writes.ts';

/** The objects of a result that an app selects. What is deeper are values of the app, such as JSON. */
export interface Level {
  /** False for an object that holds some columns of the row around it. */
  readonly isRow: boolean;
  /** What a row has under names that the app did not choose. */
  readonly hidden: Map<string, Column>;
  readonly inner: Map<string, Level>;
}

export interface Reading {
  /** The tables whose encrypted columns the statement returns, and whether one of these is not concealed. */
  readonly tables: Map<Table, boolean>;
  readonly top: Level;
  /** The searches to repeat on decrypted values. A row has the values of the first under the name of 0, and so on. */
  readonly wide: { readonly level: Level; readonly search: WideSearch }[];
}

const newLevel = (isRow: boolean): Level => ({ isRow, hidden: new Map(), inner: new Map() });

export const newReading = (): Reading => ({ tables: new Map(), top: newLevel(true), wide: [] });

export function levelIn(outer: Level, name: string, isRow: boolean): Level {
  const level = outer.inner.get(name) ?? newLevel(isRow);
  outer.inner.set(name, level);
  return level;
}

const hiddenName = ({ table, name }: Column): string => `eaas ${getTableName(table)}.${name}`;
const searchName = (at: number): string => `eaas search ${at}`;

/** Returns what rows must have besides columns and searches: ids, people and searched values. */
export function hiddenFields(
  reading: Reading,
  level: Level,
  columns: readonly Column[],
  searches: readonly WideSearch[],
): [name: string, field: SQL][] {
  for (const column of [...columns, ...searches.map((search) => search.column)]) {
    const encryption = encryptionOf(column);
    if (!encryption) continue;
    const isShown = reading.tables.get(column.table) || !encryption.field.isConcealed;
    reading.tables.set(column.table, isShown);
    const { needed } = layoutOf(column.table);
    const others = encryption.field.previous?.columns ? needed : [];
    for (const each of [...boundTo(column.table, encryption), ...others]) {
      level.hidden.set(hiddenName(each.column), each.column);
    }
  }
  for (const search of searches) {
    level.hidden.set(searchName(reading.wide.length), readable(search.column));
    reading.wide.push({ level, search });
  }
  // As SQL, a column counts for no row of a left join. Drizzle does not decode it.
  return Array.from(level.hidden, ([name, column]) => [name, sql`${column}`]);
}

/** Returns the fields to select for fields that an app selects: readable columns, checked SQL, and hidden fields. */
export function readFields(
  given: readonly SelectedField[],
  searches: readonly WideSearch[],
  reading: Reading,
): SelectedField[] {
  const fields = given.filter(({ field }) => !isIndexColumn(field));
  const columns = fields.flatMap(({ field }) => (is(field, Column) ? [field] : []));
  const shown = fields.map(({ path, field }) => {
    path.slice(0, -1).reduce((level, name) => levelIn(level, name, false), reading.top);
    return { path, field: selectedField(field) };
  });
  const hidden = hiddenFields(reading, reading.top, columns, searches);
  return [...shown, ...hidden.map(([name, field]) => ({ path: [name], field }))];
}

/** A row of a table or an alias, as a result has it, and where its values go. */
interface StoredRow extends Sealed {
  readonly cells: { readonly holder: Row; readonly key: string; readonly name: string }[];
}

/** Decrypts the result of a statement, and drops what only the package asked for. */
export async function open(result: unknown, reading: Reading, { access, statement }: Run): Promise<unknown> {
  if (reading.tables.size === 0) return result;
  const found = new Map<string, Map<Row, StoredRow>>();
  const placed = new Map<Table, { readonly table: CoreTable; readonly rows: Map<Row, StoredRow> }>();
  const lists: { readonly level: Level; readonly list: Row[] }[] = [];
  const hiddenOf = new Map<Row, Row>();

  /** Takes the stored values and the hidden ones out of rows. `outer` is the row around an object. */
  function take(
    value: unknown,
    level: Level,
    outer: Row | undefined,
    all = [...level.hidden].toReversed(),
  ): void {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      lists.push({ level, list: value as Row[] });
      for (const each of value) take(each, level, outer, all);
      return;
    }
    const holder = value as Row;
    const row = level.isRow || !outer ? holder : outer;
    const own: Row = {};
    // The last member first: only then does V8 keep the row as fast and as small as it was.
    for (const [key, column] of all) {
      const hidden = holder[key] ?? null;
      own[key] = hidden === null ? null : column.mapFromDriverValue(hidden);
      delete holder[key];
    }
    if (level.isRow) hiddenOf.set(holder, own);
    // Without a search to repeat, nothing hidden is encrypted.
    for (const of of reading.wide.length > 0 ? [holder, own] : [holder]) {
      for (const key in of) if (of[key] instanceof Stored) note(of[key], of, key, row);
    }
    for (const [key, inner] of level.inner) take(holder[key], inner, row);
  }

  function placeOf(table: Table) {
    const alias = getTableUniqueName(table);
    const place = { table: access.tableOf(table), rows: found.get(alias) ?? new Map<Row, StoredRow>() };
    found.set(alias, place.rows);
    placed.set(table, place);
    return place;
  }

  function note({ column, value }: Stored, holder: Row, key: string, row: Row): void {
    const { table, rows } = placed.get(column.table) ?? placeOf(column.table);
    let stored = rows.get(row);
    if (!stored) {
      stored = storedRow(table, column, row, holder, hiddenOf.get(row) ?? {});
      rows.set(row, stored);
    }
    stored.stored[column.name] = value;
    stored.cells.push({ holder, key, name: column.name });
    // Until it is decrypted, a row has what the database has.
    holder[key] = value;
  }

  take(result, reading.top, undefined);
  const rows = Array.from(found.values(), (each) => [...each.values()]).flat();
  const searched = reading.wide.flatMap(({ level, search: { column, encryption, near } }) =>
    lists
      .filter((each) => each.level === level)
      .map(({ list }) => ({
        table: access.tableOf(column.table),
        items: list,
        near: { [encryption.column]: near },
        rowOf: (row: Row) => found.get(getTableUniqueName(column.table))?.get(row),
      })),
  );
  await statement.open(rows, searched);
  return result;
}

/** Also has the columns that are not encrypted: the client emits an event if they hold ciphertexts. */
function storedRow(table: CoreTable, column: Column, row: Row, holder: Row, hidden: Row): StoredRow {
  const { plain, id, person, needed } = layoutOf(column.table);
  const stored: Row = {};
  for (const each of plain) if (Object.hasOwn(holder, each.key)) stored[each.column.name] = holder[each.key];
  for (const each of person) stored[each.column.name] = hidden[hiddenName(each.column)];
  // In a result, another column can have the key of one that a stored value needs.
  for (const each of needed) stored[each.column.name] = hidden[hiddenName(each.column)];
  const cells: StoredRow['cells'] = [];
  const put = (opened: Row): void => {
    for (const { holder: of, key, name } of cells) of[key] = opened[name];
  };
  return { table, stored, id: (id && hidden[hiddenName(id.column)]) as RowId, shown: row, cells, put };
}
