import { InputError } from '@eaas/protocol';
import { nearestOf } from '@eaas/protocol/internal';
import type { Unencrypted } from '../fields/field.ts';
import { type FieldPlan, planOf, requireField, requireTable, type TablePlan } from '../fields/plan.ts';
import { isCiphertext } from '../fields/recognize-ciphertext.ts';
import type { Tables } from '../fields/row-types.ts';
import type { Change, Store, StoredRow } from '../reencrypt/store.ts';
import { aborted } from '../transport/abortable.ts';
import {
  columnsOf,
  DatabaseError,
  idIn,
  runnerOf,
  type SqlDatabase,
  type SqlTemplateDatabase,
  textIn,
} from './database.ts';
import { type ColumnType, nameIn, statement } from './dialects.ts';

/** A row of the table: the texts of its encrypted columns and index columns, and of the columns with the plaintext. */
export interface StoredTexts extends StoredRow {
  readonly id: string | number;
  readonly values: Readonly<Record<string, string | null>>;
  readonly plaintexts: Readonly<Record<string, string | null>>;
  /** The columns that name the person whose data the row is. */
  readonly person: Readonly<Record<string, unknown>>;
  readonly personTexts: readonly (string | null)[];
}

interface Names {
  readonly tables: Tables;
  readonly table: string;
  readonly stored: string;
  readonly schema: string | undefined;
  readonly id: string | undefined;
  readonly columns: Readonly<Record<string, string | undefined>> | undefined;
  readonly from: Readonly<Record<string, string | undefined>> | undefined;
}

export interface TableAccess {
  readonly plan: TablePlan;
  /** The names of the columns that name the person of a row. */
  readonly naming: readonly string[];
  readonly plans: readonly FieldPlan[];
  /** The columns with the plaintext, by field. */
  readonly sources: ReadonlyMap<string, string>;
  readonly store: Store<StoredTexts>;
  plaintextLeft(
    most: number,
    signal: AbortSignal | undefined,
    onPage: (checked: number) => Promise<void>,
  ): Promise<{ count: number; ids: (string | number)[] }>;
}

/** The characters of a ciphertext by which it is recognised. */
const headLength = 36;
const checkedPerPage = 5_000;
const shortestCiphertext = 220;

export async function openTable(
  database: SqlDatabase | SqlTemplateDatabase,
  { tables, table, stored, schema, id = 'id', columns: renamed = {}, from = {} }: Names,
): Promise<TableAccess> {
  const { dialect, run } = runnerOf(database, 'encryptExisting');
  const plan = requireTable(planOf(tables), table);
  const plans = plan.fields;
  if (plans.length === 0)
    throw new InputError(
      `the table \`${table}\` has no encrypted fields: define some in \`defineFields\`, or name another table`,
    );
  const naming = namingColumns(plan, tables[table]);
  const indexes = plans.flatMap(({ indexColumns }) => indexColumns);
  for (const name of Object.keys(renamed))
    if (!indexes.includes(name) && !naming.includes(name)) requireField(plan, name);
  for (const name of Object.keys(from)) requireField(plan, name);
  const place = { schema, table: stored };
  const target = nameIn(dialect, place);
  const known = await columnsOf(run, dialect, place);
  const requireColumn = (name: string, role: string): ColumnType => {
    const column = known.get(name);
    if (column) return column;
    const near = nearestOf(known.keys(), name);
    throw new InputError(
      `the table ${target} has no column \`${name}\` ${role}${near === undefined ? '' : `; did you mean \`${near}\`?`}`,
    );
  };
  const idColumn = requireColumn(id, 'for the row ids: pass the name of the primary key as `id`');
  if (!idColumn.isUnique) {
    throw new InputError(
      `the column \`${stored}.${id}\` must be unique and not null, because pages are read in its order: ` +
        `pass the primary key as \`id\`, or use \`reencrypt\` for a key of several columns`,
    );
  }
  const names = [...plans.map(({ name }) => name), ...indexes];
  const columns = names.map((name) => {
    const own = renamed[name] ?? name;
    const column = requireColumn(
      own,
      indexes.includes(name)
        ? 'for an index: add it as text, or name the column in `columns`'
        : 'for a field: add it as text, or name the column in `columns`',
    );
    if (!indexes.includes(name)) requireRoom(stored, column);
    return { name, column: own };
  });
  const sources = new Map(
    Object.entries(from).flatMap(([name, column]) => {
      if (column === undefined) return [];
      requireColumn(column, 'with plaintext: correct its name in `from`');
      if (columns.some((other) => other.column === column))
        throw new InputError(
          `\`from\` names \`${column}\`, which is also an encrypted column: leave it out of \`from\` to encrypt it in place`,
        );
      return [[name, column] as const];
    }),
  );

  const people = naming.map((name) => {
    const column = renamed[name] ?? name;
    requireColumn(column, 'that names the person of each row: add it, or name the column in `columns`');
    return { name, column };
  });

  const written = columns.map(({ column }) => column);
  // A row that has moved to another person meanwhile is left alone too.
  const compared = [
    ...columns.slice(0, plans.length).map(({ column }) => column),
    ...sources.values(),
    ...people.map(({ column }) => column),
  ];
  const writing = { table: place, id: idColumn, compared, written };
  const idText = dialect.quote(id);
  const textOf = (column: string) => dialect.text(dialect.quote(column));
  const selected = [
    ...columns.map(({ column }, at) => `${textOf(column)} as v${at}`),
    ...Array.from(sources.values(), (column, at) => `${textOf(column)} as s${at}`),
    ...people.map(({ column }, at) => `${dialect.quote(column)} as p${at}, ${textOf(column)} as q${at}`),
  ].join(', ');

  const page = (what: string, after: string | number | undefined, limit: number) => {
    const start =
      after === undefined
        ? []
        : statement` where ${idText} > ${dialect.asId(idColumn, { value: String(after) })}`;
    return statement`select ${idText} as id, ${what} from ${target}${start} order by ${idText} limit ${String(limit)}`;
  };

  async function write(changes: readonly Change<StoredTexts>[]): ReturnType<typeof writeHalves> {
    const rows = changes.map(({ row, values }) => ({
      id: String(row.id),
      expected: [
        ...plans.map(({ name }) => row.values[name]),
        ...Array.from(sources.keys(), (name) => row.plaintexts[name]),
        ...row.personTexts,
      ].map((value) => value ?? null),
      values: names.map((name) => values[name] ?? null),
    }));
    try {
      const found = await run(`write rows of ${target}`, dialect.write(writing, rows));
      const ids = dialect.written
        ? await run(`read rows of ${target}`, dialect.written(writing, rows))
        : found;
      return { written: ids.map((row) => idIn(row, stored)), refused: [] };
    } catch (error) {
      if (!(error instanceof DatabaseError) || !error.isConstraint) throw error;
      const [first] = changes;
      if (first && changes.length === 1) {
        const message =
          `${stored} of row ${first.id}: the row violates a constraint of the database (code ` +
          `${error.databaseCode}), such as a unique index on an index column: change the row, and run again`;
        return { written: [], refused: [{ id: first.id, message }] };
      }
      return writeHalves(changes);
    }
  }

  /** One row that violates a constraint must not stop the others of its page. */
  async function writeHalves(
    changes: readonly Change<StoredTexts>[],
  ): Promise<{ written: (string | number)[]; refused: { id: string | number; message: string }[] }> {
    const middle = Math.ceil(changes.length / 2);
    const first = await write(changes.slice(0, middle));
    const second = await write(changes.slice(middle));
    return {
      written: [...first.written, ...second.written],
      refused: [...first.refused, ...second.refused],
    };
  }

  return {
    plan,
    naming,
    plans,
    sources,
    store: {
      async count() {
        const [row] = await run(
          `count the rows of ${target}`,
          statement`select count(*) as count from ${target}`,
        );
        return Number(row?.['count']);
      },
      async read({ after, limit }) {
        const rows = await run(`read rows of ${target}`, page(selected, after, limit));
        return rows.map((row) => ({
          id: idIn(row, stored),
          values: Object.fromEntries(
            columns.map(({ name, column }, at) => [name, textIn(row, `v${at}`, `${stored}.${column}`)]),
          ),
          plaintexts: Object.fromEntries(
            Array.from(sources, ([name, column], at) => [name, textIn(row, `s${at}`, `${stored}.${column}`)]),
          ),
          person: Object.fromEntries(people.map(({ name }, at) => [name, row[`p${at}`]])),
          personTexts: people.map(({ column }, at) => textIn(row, `q${at}`, `${stored}.${column}`)),
        }));
      },
      writeMany: write,
    },
    async plaintextLeft(most, signal, onPage) {
      const ids: (string | number)[] = [];
      let count = 0;
      let checked = 0;
      const heads = plans.map(({ name }, at) => {
        const source = sources.get(name);
        const isFilled =
          source === undefined ? 'null' : `case when ${dialect.quote(source)} is null then null else '1' end`;
        return `substr(${textOf(renamed[name] ?? name)}, 1, ${headLength}) as v${at}, ${isFilled} as s${at}`;
      });
      for (let after: string | number | undefined; ;) {
        if (signal?.aborted) throw aborted();
        const rows = await run(`read rows of ${target}`, page(heads.join(', '), after, checkedPerPage));
        const last = rows.at(-1);
        if (!last) return { count, ids };
        for (const row of rows) {
          const isLeft = plans.some((_, at) => {
            const value = textIn(row, `v${at}`);
            return value === null ? textIn(row, `s${at}`) !== null : !isCiphertext(value);
          });
          if (!isLeft) continue;
          count++;
          if (ids.length < most) ids.push(idIn(row, stored));
        }
        after = idIn(last, stored);
        checked += rows.length;
        await onPage(checked);
      }
    },
  };
}

/** The columns that name the person of a row. For a function, all columns that the definition lists as unencrypted. */
function namingColumns({ subject }: TablePlan, columns: Tables[string] | undefined): string[] {
  if (typeof subject === 'string') return [subject];
  if (!subject) return [];
  const isUnencrypted = (column: unknown): boolean => (column as Unencrypted | null)?.unencrypted === true;
  return Object.entries(columns ?? {}).flatMap(([name, column]) => (isUnencrypted(column) ? [name] : []));
}

function requireRoom(table: string, { name, type }: ColumnType): void {
  const [, length] = /char\w*(?: varying)?\((\d+)\)/i.exec(type) ?? [];
  const isText =
    /text|char|clob|^$/i.test(type) && (length === undefined || Number(length) >= shortestCiphertext);
  if (isText) return;
  throw new InputError(
    `the column \`${table}.${name}\` is ${type}, and a ciphertext is a text of ${shortestCiphertext} ` +
      `characters or more: change its type to text, or add a text column, name it in \`columns\`, and the ` +
      `old one in \`from\``,
  );
}
