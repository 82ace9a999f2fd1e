// A table in its database: whether its columns fit, pages of rows, the beginnings of their texts, and writes that leave alone
// what the app has changed meanwhile. `migrate` and `inventory` open it.
import { InputError } from '@eaas/protocol';
import { lasting, personColumns, requireField } from '@eaas/sdk/internal';
import { columnsOf, DatabaseError, idIn, requireColumn, runnerOf, type Stored, textIn } from './database.ts';
import { type ColumnType, dialects, nameIn, statement, type Statement } from './dialects.ts';
import { headLength } from './heads.ts';
import {
  noRoom,
  refusalOf,
  type RowFailure,
  type RowId,
  type RowTexts,
  type TableRow,
  type Texts,
} from './rows.ts';
import type { Target } from './source.ts';

/** A compare-and-set of one row. `values` are those that change. */
interface Change {
  readonly row: TableRow;
  readonly values: Texts;
}

/** A column, by its name in the definition and in the database. */
interface Named {
  readonly name: string;
  readonly column: string;
}

export type Store = Awaited<ReturnType<typeof openTable>>;

export async function openTable(target: Target, call: string) {
  const { plan, name: table, columns: renamed, schema, id } = target;
  const stored = target.table ?? table;
  const { dialect, run } = runnerOf(target.database, call);
  const place = { schema, table: stored };
  const into = nameIn(dialect, place);
  const known = await columnsOf(run, dialect, place);
  const requireOwn = (name: string, role: string) => requireColumn(known, name, into, ` ${role}`);
  const idColumn = requireOwn(id, 'for the row ids: pass the name of the primary key as `id`');
  // Nothing comes after a number in a column of SQLite without a type, and an `enum` is sorted by places.
  if (!idColumn.isUnique || /^(?:|blob|any|enum.*)$/i.test(idColumn.type)) {
    throw new InputError(
      `the column \`${stored}.${id}\` must be unique and not null, and a text or number by its type, because pages are read in its order: ` +
        'pass the primary key as `id`, or another unique column if the key has several',
    );
  }
  const fields = plan.fields.map(({ name }) => name);
  const indexes = plan.fields.flatMap((field) => field.indexes.map(({ column }) => column));
  const naming = personColumns(plan);
  const needed = plan.fields
    .flatMap(({ field }) => field.previous?.columns ?? [])
    .filter((name) => !fields.includes(name));
  for (const name of Object.keys(renamed)) {
    if (![...indexes, ...naming, ...needed].includes(name)) requireField(plan, name);
  }
  const columnsFor = (names: readonly string[], role: string): Named[] =>
    names.map((name) => {
      const column = renamed[name] ?? name;
      const type = requireOwn(column, `${role}: add it, or name the column in \`columns\``);
      if (fields.includes(name) && !hasRoom(type.type, headLength)) {
        throw new InputError(
          `the column \`${stored}.${column}\` is ${type.type}, and a ciphertext is a text of ${headLength} characters or ` +
            'more: change its type to text, or add a text column, copy the values into it, and name it in `columns`',
        );
      }
      return { name, column };
    });
  const columns = [...columnsFor(fields, 'for a field'), ...columnsFor(indexes, 'for an index')];
  const people = columnsFor(naming, 'that names the person of each row');
  const others = columnsFor([...new Set(needed)], 'that `previous` needs');
  for (const { column, labels, fields: covered } of plan.fields.flatMap((each) => each.indexes)) {
    if (labels.length < 2 || !known.get(renamed[column] ?? column)?.isInUnique) continue;
    throw new InputError(
      `a unique index compares \`${column}\`, whose fingerprints would be computed under another name from now on, so that it would ` +
        `let equal values pass: write ${lasting(covered[0])}, or drop the index`,
    );
  }
  // A row that has moved to another person meanwhile is left alone too.
  const compared = [...columns.slice(0, fields.length), ...people].map(({ column }) => column);
  const quotedId = dialect.quote(id);
  const textOf = (column: string) => dialect.text(dialect.quote(column));
  const whole = [
    ...columns.map(({ column }, at) => `${textOf(column)} as v${at}`),
    ...people.map(({ column }, at) => `${dialect.quote(column)} as p${at}, ${textOf(column)} as q${at}`),
    ...others.map(({ column }, at) => `${dialect.quote(column)} as o${at}`),
  ].join(', ');

  const select = (what: string, which: Statement, limit?: number, order = ''): Promise<readonly Stored[]> => {
    const most = limit === undefined ? '' : ` limit ${limit}`;
    return run(
      `read rows of ${into}`,
      statement`select ${quotedId} as id, ${what} from ${into}${which} order by ${into}.${quotedId}${order}${most}`,
    );
  };
  const after = (last: RowId | undefined): Statement =>
    last === undefined
      ? []
      : statement` where ${quotedId} > ${dialect.asId(idColumn, { value: String(last) })}`;
  const textsIn = (row: Stored, prefix: string, of: readonly Named[]): Texts =>
    Object.fromEntries(
      of.map(({ name, column }, at) => [name, textIn(row, `${prefix}${at}`, `${stored}.${column}`)]),
    );
  const rowIn = (row: Stored): TableRow => ({
    id: idIn(row, stored),
    values: textsIn(row, 'v', columns),
    others: Object.fromEntries(others.map(({ name }, at) => [name, row[`o${at}`]])),
    person: Object.fromEntries(people.map(({ name }, at) => [name, row[`p${at}`]])),
    personTexts: Object.values(textsIn(row, 'q', people)),
  });

  const ciphertextRoomIn = (type: string): number =>
    dialect === dialects.mysql ? roomIn(type) : Number(/\((\d+)/.exec(type)?.[1] ?? Infinity);

  /** Why the ciphertexts of a change have no room in their columns, which a dry run says too. SQLite keeps texts of any length. */
  function faultOfRoom({ row, values }: Change): RowFailure | undefined {
    if (dialect === dialects.sqlite) return undefined;
    for (const { name, column } of columns.slice(0, fields.length)) {
      const { type = '' } = known.get(column) ?? {};
      const longest = values[name]?.length ?? 0;
      if (longest > ciphertextRoomIn(type)) {
        return noRoom(row.id, { field: name, column: `${stored}.${column}`, type, longest });
      }
    }
    return undefined;
  }

  /** Returns why rows were not written. */
  async function write(changes: readonly Change[]): Promise<RowFailure[]> {
    // No column that stays as it is: a trigger of the app could see an update of it.
    const changed = columns.filter(({ name }) => changes.some(({ values }) => Object.hasOwn(values, name)));
    const writing = { table: place, id: idColumn, compared, written: changed.map(({ column }) => column) };
    const rows = changes.map(({ row, values }) => ({
      id: String(row.id),
      expected: [...fields.map((name) => row.values[name] ?? null), ...row.personTexts],
      values: changed.map(({ name }) => ({ ...row.values, ...values })[name] ?? null),
    }));
    const isCut = rows.some(({ values }) =>
      changed.some(({ column }, at) => cuts(known.get(column), values[at])),
    );
    try {
      if (isCut) throw new DatabaseError(`write rows of ${into}`, { code: 'ER_DATA_TOO_LONG' });
      const found = await run(`write rows of ${into}`, dialect.write(writing, rows));
      const written = dialect.written
        ? await run(`read rows of ${into}`, dialect.written(writing, rows))
        : found;
      const ids = new Set(written.map((row) => idIn(row, stored)));
      return changes.flatMap(({ row: { id: row } }) =>
        ids.has(row) ? [] : [refusalOf('conflict', row, stored)],
      );
    } catch (error) {
      if (!(error instanceof DatabaseError) || !error.isConstraint) throw error;
      const [first, ...others] = changes;
      if (first && others.length === 0) {
        return [refusalOf('store', first.row.id, stored, ` (code ${error.databaseCode})`)];
      }
      // One row that violates a constraint must not stop the others of its page.
      const middle = Math.ceil(changes.length / 2);
      return [...(await write(changes.slice(0, middle))), ...(await write(changes.slice(middle)))];
    }
  }

  return {
    fields,
    async count(): Promise<number> {
      const [row] = await run(`count the rows of ${into}`, statement`select count(*) as count from ${into}`);
      return Number(row?.['count']);
    },
    /** The rows after an id, in the order of the ids. */
    page: async (last: RowId | undefined, limit: number): Promise<TableRow[]> =>
      (await select(whole, after(last), limit)).map(rowIn),
    /** The rows with these ids that still exist. */
    rows: async (ids: readonly RowId[]): Promise<TableRow[]> =>
      (await select(whole, statement` where ${quotedId} in ${dialect.ids(idColumn, ids.map(String))}`)).map(
        rowIn,
      ),
    /** The beginnings of the texts of the rows after an id. */
    heads: async (last: RowId | undefined, limit: number, order?: ' desc'): Promise<RowTexts[]> => {
      const begin = columns.map(({ column }, at) => `substr(${textOf(column)}, 1, ${headLength}) as v${at}`);
      const found = await select(begin.join(', '), after(last), limit, order);
      return found.map((row) => ({ id: idIn(row, stored), values: textsIn(row, 'v', columns) }));
    },
    /** What the database says of its checks and indexes. */
    described: async () =>
      (await run(`describe ${into}`, dialect.describe(place))).flatMap((row) =>
        Object.values(row).map(String),
      ),
    write,
    faultOfRoom,
  };
}

/** MySQL cuts a text that is too long for its column: without strict mode, and in columns of the type `text` also with it. */
const cuts = ({ type = '', charset }: Partial<ColumnType> = {}, text?: string | null): boolean =>
  charset !== undefined && Buffer.byteLength(text ?? '') > roomIn(type);

/** Types of PostgreSQL and SQLite have more room than this says, and it is enough. */
const roomIn = (type: string): number =>
  Number(/\((\d+)/.exec(type)?.[1] ?? { tinytext: 255, text: 65_535 }[type] ?? Infinity);

/** Whether a column of a type can hold texts of so many characters. */
export const hasRoom = (type: string, characters: number): boolean =>
  /(?:text|char|clob)(?!.*\[)|^$/i.test(type) && roomIn(type) >= characters;
