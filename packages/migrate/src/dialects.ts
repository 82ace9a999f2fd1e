// The statements of `@eaas/migrate`, for PostgreSQL, MySQL and SQLite. Names are quoted; values are always parameters,
// and all of them are texts, because every driver sends a text unchanged.

/** A kind of database. MariaDB is `mysql`. */
export type SqlDialect = 'postgresql' | 'mysql' | 'sqlite';

/** A value in a statement. Everything else in a statement is text. */
export interface Parameter {
  readonly value: string;
}

export type Statement = readonly (string | Parameter)[];

/** Joins the parts of a statement, as in a template. */
export function statement(
  strings: TemplateStringsArray,
  ...parts: (string | Parameter | Statement)[]
): Statement {
  return strings.flatMap((text, at) => [text, ...[parts[at] ?? []].flat()]);
}

/** What a statement must know of a column. */
export interface ColumnType {
  readonly name: string;
  /** The type in the database, such as `character varying(100)`. */
  readonly type: string;
  /** False if the column alone does not identify a row. */
  readonly isUnique: boolean;
  /** Whether a unique index covers the column, perhaps with others. */
  readonly isInUnique: boolean;
  readonly charset?: string | undefined;
  readonly collation?: string | undefined;
}

export interface TableName {
  readonly schema?: string | undefined;
  readonly table: string;
}

/** A row to write: its id, the texts that it must still have, and the texts to store. */
interface Write {
  readonly id: string;
  readonly expected: readonly (string | null)[];
  readonly values: readonly (string | null)[];
}

interface WriteTarget {
  readonly table: TableName;
  readonly id: ColumnType;
  /** The columns whose texts are compared. */
  readonly compared: readonly string[];
  /** The columns that are written. */
  readonly written: readonly string[];
}

export interface Dialect {
  readonly quote: (name: string) => string;
  /** The text of a column. */
  text(column: string): string;
  /** The statement that returns the columns of a table. */
  columns(table: TableName): Statement;
  /**
   * The statement that returns the check constraints and indexes of a table, in texts such as that of `show create table` of MySQL.
   * An index is a line with its first column at least, unless only some rows are in it. PostgreSQL also says whether it may hide rows.
   */
  describe(table: TableName): Statement;
  /** A text in the type of the id, so that the database can use the index of the id. */
  asId(id: ColumnType, value: string | Parameter): Statement;
  /** A list of ids, for `in`. One text is much cheaper than many parameters, of which some databases take few. */
  ids(id: ColumnType, values: readonly string[]): Statement;
  /** Writes the rows that are unchanged. Rows come back with the id, unless `written` asks for them. */
  write(target: WriteTarget, rows: readonly Write[]): Statement;
  /** The statement that returns the ids of the rows that have the new texts, if `write` does not return them. */
  written?: (target: WriteTarget, rows: readonly Write[]) => Statement;
}

const quoteWith = (mark: string) => (name: string) => `${mark}${name.replaceAll(mark, mark + mark)}${mark}`;
const double = quoteWith('"');
const backtick = quoteWith('`');

const qualified = (quote: (name: string) => string, { schema, table }: TableName): string =>
  schema === undefined ? quote(table) : `${quote(schema)}.${quote(table)}`;

export const nameIn = (dialect: Dialect, table: TableName): string => qualified(dialect.quote, table);

/** The rows as JSON: `[id, …expected, …values]`. One text is much cheaper than thousands of parameters. */
const jsonOf = (rows: readonly Write[]): Parameter => ({
  value: JSON.stringify(rows.map(({ id, expected, values }) => [id, ...expected, ...values])),
});

const listOf = (values: readonly string[]): Parameter => ({ value: JSON.stringify(values) });

const isInteger = ({ type }: ColumnType): boolean => /int/i.test(type);

/** The columns of a write, each with the cell of the JSON that it is compared with, or gets. */
function cellsOf({ compared, written }: WriteTarget, cell: (at: number) => string) {
  const pair = (columns: readonly string[], from: number) =>
    columns.map((column, at): [column: string, cell: string] => [column, cell(from + at)]);
  return { compared: pair(compared, 1), written: pair(written, compared.length + 1) };
}

const postgresql: Dialect = {
  quote: double,
  text: (column) => `${column}::text`,
  columns: (table) => statement`
    select a.attname::text as name, format_type(a.atttypid, a.atttypmod) as type, (exists (
      select from pg_index i where i.indrelid = a.attrelid and i.indisunique and i.indpred is null
        and i.indkey::text = a.attnum::text and a.attnotnull))::text as is_unique, (exists (
      select from pg_index i where i.indrelid = a.attrelid and i.indisunique and a.attnum = any (i.indkey)))::text as in_unique
    from pg_attribute a
    where a.attrelid = to_regclass(${{ value: qualified(double, table) }}::text) and a.attnum > 0 and not a.attisdropped`,
  describe: (table) => statement`
    with t (id) as (select to_regclass(${{ value: qualified(double, table) }}::text))
    select pg_get_constraintdef(c.oid) as line from t join pg_constraint c on c.conrelid = t.id and c.contype = 'c'
    union all select format('  %s KEY (%s)', upper(a.amname), pg_get_indexdef(c.oid, 1, true)) from t
    join pg_index i on i.indrelid = t.id and i.indisvalid and i.indpred is null
    join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
    union all select format('row-level security may hide rows of %s', id::regclass) from t where row_security_active(id)`,
  // The parameter is a text for every driver, and only then converted.
  asId: ({ type }, value) => statement`${value}::text::${type}`,
  ids: (id, values) => statement`
    (select ${postgresql.asId(id, 'c.value')} from json_array_elements_text(${listOf(values)}::text::json) as c (value))`,
  write(target, rows) {
    const { compared, written } = cellsOf(target, (at) => `(c.cells ->> ${at})`);
    const set = written.map(([column, cell]) => `${double(column)} = ${cell}`).join(', ');
    const same = compared.map(
      ([column, cell]) => `and t.${double(column)}::text is not distinct from ${cell} `,
    );
    const id = double(target.id.name);
    // Divides by zero, and so writes nothing, if a trigger or the type of a column makes another text of it.
    const asGiven = written.map(
      ([column, cell]) => `, 1 / (t.${double(column)}::text is not distinct from ${cell})::int`,
    );
    return statement`
      update ${qualified(double, target.table)} as t set ${set}
      from json_array_elements(${jsonOf(rows)}::text::json) as c (cells)
      where t.${id} = ${postgresql.asId(target.id, '(c.cells ->> 0)')} ${same.join('')}
      returning t.${id} as id${asGiven.join('')}`;
  },
};

const sqlite: Dialect = {
  quote: double,
  text: (column) => `cast(${column} as text)`,
  columns({ schema = 'main', table }) {
    const of = (name: string | Parameter) => statement`(${name}, ${{ value: schema }})`;
    const columns = statement`pragma_table_xinfo${of({ value: table })}`;
    const indexed = statement`pragma_index_info${of('i.name')}`;
    return statement`
      select name, type, iif(
        (pk = 1 and (select max(pk) from ${columns}) = 1) or ("notnull" = 1 and exists (
          select 1 from pragma_index_list${of({ value: table })} as i where i."unique" = 1 and i.partial = 0
            and (select group_concat(name) from ${indexed}) = c.name)), 'true', 'false') as is_unique,
        iif(exists (select 1 from pragma_index_list${of({ value: table })} as i join ${indexed} as k
          where i."unique" = 1 and k.name = c.name), 'true', 'false') as in_unique
      from ${columns} as c`;
  },
  describe: ({ schema = 'main', table }) => statement`
    select '  KEY (' || (select name from pragma_index_info(i.name, ${{ value: schema }}) where seqno = 0) || ')' as line
    from pragma_index_list(${{ value: table }}, ${{ value: schema }}) as i where partial = 0
    union all select sql from ${double(schema)}.sqlite_master where tbl_name = ${{ value: table }} collate nocase`,
  asId: (id, value) => statement`cast(${value} as ${isInteger(id) ? 'integer' : 'text'})`,
  ids: (id, values) =>
    statement`(select ${sqlite.asId(id, 'eaas_c.value')} from json_each(${listOf(values)}) as eaas_c)`,
  // The table has no alias here, and its name could be a short one.
  write(target, rows) {
    const { compared, written } = cellsOf(target, (at) => `(eaas_c.value ->> ${at})`);
    const set = written.map(([column, cell]) => `${double(column)} = ${cell}`).join(', ');
    const table = qualified(double, target.table);
    const id = double(target.id.name);
    const same = compared.map(([column, cell]) => `and cast(${table}.${double(column)} as text) is ${cell} `);
    return statement`
      update or abort ${table} set ${set} from json_each(${jsonOf(rows)}) as eaas_c
      where ${table}.${id} = ${sqlite.asId(target.id, '(eaas_c.value ->> 0)')} ${same.join('')}
      returning ${id} as id`;
  },
};

const mysqlText = (column: string): string => `convert(${column} using utf8mb4)`;

/** The rows of JSON as a table, whose columns `c0`, `c1` … are texts, joined with the rows of the table that have these cells. */
function mysqlJoin(
  target: WriteTarget,
  rows: readonly Write[],
  pairs: ReturnType<typeof cellsOf>['written'],
): Statement {
  const cells = [target.id.name, ...target.compared, ...target.written].map(
    (_, at) => `c${at} longtext character set utf8mb4 path '$[${at}]'`,
  );
  // Compares bytes, because most collations ignore case and accents.
  const same = pairs.map(
    ([column, cell]) =>
      `and cast(${mysqlText(`t.${backtick(column)}`)} as binary) <=> cast(${mysqlText(cell)} as binary) `,
  );
  return statement`
    json_table(${jsonOf(rows)}, '$[*]' columns (${cells.join(', ')})) as c
    join ${qualified(backtick, target.table)} as t
      on t.${backtick(target.id.name)} = ${mysql.asId(target.id, 'c.c0')} ${same.join('')}`;
}

const mysql: Dialect = {
  quote: backtick,
  text: mysqlText,
  columns: ({ schema, table }) => statement`
    select column_name as name, column_type as type, character_set_name as charset, collation_name as collation,
      if(column_key = 'UNI' or (column_key = 'PRI' and 1 = (
        select count(*) from information_schema.columns k
        where k.table_schema = c.table_schema and k.table_name = c.table_name and k.column_key = 'PRI'
      )), 'true', 'false') as is_unique, if(exists (
        select 1 from information_schema.statistics s where s.table_schema = c.table_schema and s.table_name = c.table_name
          and s.column_name = c.column_name and s.non_unique = 0), 'true', 'false') as in_unique
    from information_schema.columns c
    where table_schema = ${schema === undefined ? 'database()' : { value: schema }} and table_name = ${{ value: table }}`,
  describe: (table) => [`show create table ${qualified(backtick, table)}`],
  asId(id, value) {
    if (id.collation) {
      return statement`convert(${value} using ${id.charset ?? 'utf8mb4'}) collate ${id.collation}`;
    }
    if (isInteger(id)) {
      return statement`cast(${value} as ${/unsigned/i.test(id.type) ? 'unsigned' : 'signed'})`;
    }
    return [value];
  },
  ids: (id, values) => statement`
    (select ${mysql.asId(id, 'c.value')} from json_table(${listOf(values)}, '$[*]' columns (
      value longtext character set utf8mb4 path '$')) as c)`,
  write(target, rows) {
    const { compared, written } = cellsOf(target, (at) => `c.c${at}`);
    const set = written.map(([column, cell]) => `t.${backtick(column)} = ${cell}`).join(', ');
    return statement`update ${mysqlJoin(target, rows, compared)} set ${set}`;
  },
  written(target, rows) {
    const { written } = cellsOf(target, (at) => `c.c${at}`);
    return statement`select t.${backtick(target.id.name)} as id from ${mysqlJoin(target, rows, written)}`;
  },
};

export const dialects: Readonly<Record<SqlDialect, Dialect>> = { postgresql, mysql, sqlite };
