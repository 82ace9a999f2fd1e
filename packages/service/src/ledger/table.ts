// The tables of a tenant as decisions see them: rows are plain objects, named by their table and id.
import { toHex } from '@eaas/protocol/internal';

/** What a column can hold. A uuid is a text for MACs, and a time is a number: milliseconds since 1970. */
export interface Values {
  readonly text: string;
  readonly uuid: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly bytes: Uint8Array;
  readonly texts: readonly string[];
}

/** The type of a column. With a question mark it can be null. */
export type ColumnType = keyof Values | `${keyof Values}?`;

/** The row of a table with columns of these types. */
export type RowOf<Types> = {
  readonly [Name in keyof Types]: Types[Name] extends `${infer Type extends keyof Values}?`
    ? Values[Type] | null
    : Values[Types[Name] & keyof Values];
};

/** A table. The order of its columns is that of the rows' MACs and of the sum of rows. */
export interface Table<Row> {
  readonly name: string;
  /** The columns that name a row within its tenant. */
  readonly id: readonly (keyof Row & string)[];
  readonly columns: readonly (keyof Row & string)[];
  /** Checked in each row: a column whose SQL type was altered could hold another value with the same MAC. */
  readonly types?: Readonly<Partial<Record<string, ColumnType>>>;
  /** How rows of this table are protected: absent if what they hold is sealed, so that only the sum of rows has them. */
  readonly record?: RowRecord<Row>;
  /** The column by which a row is found among those of all tenants, if it is: a token's hash, or an id that callers name. */
  readonly foundBy?: keyof Row & string;
  /** Whether rows change without an entry, like counts and last uses. They are in no sum, and nothing records their changes. */
  readonly isLoose?: true;
}

/**
 * Makes a table whose columns are those that have a type. Its rows have a MAC if they have a `rev`, which is the id of the entry
 * that records their last change, or if `label` says what the MAC is of.
 */
export function tableOf<Row>(
  name: string,
  id: Table<Row>['id'],
  types: { readonly [Name in keyof Row & string]?: ColumnType },
  { label, ...more }: Partial<Table<Row> & Pick<RowRecord<Row>, 'label'>> = {},
): Table<Row> {
  const record: RowRecord<Row> = {
    label: label ?? ['eaas row v1', name],
    nameOf: (row) => String(id[0] && row[id[0]]),
    revOf: (row) => (row as { readonly rev?: number }).rev ?? null,
  };
  const columns = Object.keys(types) as (keyof Row & string)[];
  return { ...((label ?? 'rev' in types) && { record }), ...more, name, id, types, columns };
}

/** Rows with a MAC. A record of their last change stands beside them, so an older row that was put back is noticed. */
interface RowRecord<Row> {
  /** The first parts of what the MAC covers. */
  readonly label: readonly string[];
  /** The uuid under which the changes of the row are recorded. */
  readonly nameOf: (row: Row) => string;
  /** The id of the entry of the last recorded change, or null if the row has none. */
  readonly revOf: (row: Row) => number | null;
  /** What must hold between columns, beside the MAC. */
  readonly isSound?: (row: Row) => boolean;
}

/** Names a row, as in `keys 1f0c…` or `key_versions 1f0c… 3`. */
export type Ref = `${string} ${string}`;

export function refTo<Row>(table: Table<Row>, ...id: readonly (string | number)[]): Ref {
  return `${table.name} ${id.join(' ')}`;
}

export function refOf<Row>(table: Table<Row>, row: Row): Ref {
  return refTo(table, ...table.id.map((name) => idText(row[name])));
}

/** A column of an id as text: bytes are hexadecimal characters, and null is `null`. */
export const idText = (value: unknown): string =>
  value instanceof Uint8Array ? toHex(value) : String(value);

/** A condition on a column. `has` is one on a list. `begins`: with one of these, of bytes in hexadecimal characters. */
export type Where =
  | readonly [column: string, is: '=' | '<>' | '>=' | '<=' | 'has', value: string | number | Uint8Array]
  | readonly [column: string, is: 'in' | 'begins', values: readonly string[]]
  | readonly [column: string, is: 'null']
  | readonly [column: string, is: 'filled'];

/** That columns have these values. Undefined ones are left out. */
export const equal = (values: Readonly<Record<string, string | number | undefined>>): Where[] =>
  Object.entries(values).flatMap(([column, value]) => (value === undefined ? [] : [[column, '=', value]]));

/** That a column has a value from one to another. */
export const between = (column: string, least: number, most: number): Where[] => [
  [column, '>=', least],
  [column, '<=', most],
];

/** A set of rows, or a page of it. Stores find it; what they find is checked like a row that is named. */
export interface Query<Row> {
  readonly table: Table<Row>;
  readonly where: readonly Where[];
  readonly by?: keyof Row & string;
  readonly descending?: true;
  readonly limit?: number;
  readonly offset?: number;
  /** Of entries: how much metadata a page has at most, in bytes, after its first entry. */
  readonly bytes?: number;
  /** Whether the number of all matching rows is wanted too, or up to which number they need be counted. */
  readonly counts?: true | number;
  /** Columns whose sums over all matching rows are wanted too. */
  readonly sums?: readonly (keyof Row & string)[];
}

/** What a query found. `total` is the number of all matching rows, or -1 unless it was wanted. */
export interface Found<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly sums?: Readonly<Record<string, number>>;
}

/** A row, or a set of rows, that a decision rests on. */
export type Need = Ref | Query<never>;

/** The name of a need among others: equal ones have equal names. */
export function nameOf(need: Need): string {
  if (typeof need === 'string') return need;
  const { table, ...rest } = need;
  return `${table.name}? ${JSON.stringify(rest)}`;
}

/** Leaves out what is needed twice. */
export const unique = (needs: readonly Need[]): Need[] => [
  ...new Map(needs.map((need) => [nameOf(need), need])).values(),
];

/** A row that an entry writes. `isNew`: nobody can have written it before, because its id was just drawn. */
export interface Write {
  readonly table: Table<never>;
  readonly row: object;
  readonly isNew?: true;
}

/** Names the row that an entry writes. The ledger adds its MAC. */
export const put = <Row extends object>(table: Table<Row>, row: Row): Write => ({ table, row });

/** As `put`, for a row whose id was just drawn: the ledger need not look whether it exists. */
export const add = <Row extends object>(table: Table<Row>, row: Row): Write => ({ table, row, isNew: true });

/** Makes a query a need. */
export const allOf = <Row>(query: Query<Row>): Query<never> => query;
