import type { Aliases, DecryptRowResult, NameOf, RecordId, Tables } from './row-types.ts';

type RowIn<Value> = NonNullable<Value> extends readonly (infer Row)[] ? Row : NonNullable<Value>;

/** Describes nested rows: the table of the rows, and the columns that contain rows of other tables. */
export type Nesting<T extends Tables, Row> = {
  [Table in NameOf<T>]: {
    readonly table: Table;
    /** Returns the id of a row. Defaults to the value of its column `id`. */
    readonly id?: ((row: Row) => RecordId) | undefined;
    /**
     * If the query renamed columns, this option maps them to fields, in the same way as the option `as` of
     * `decryptRows`.
     */
    readonly as?: Aliases<T[Table], Row> | undefined;
    /** Describes the rows inside a column. The column contains a list of rows, one row, or null. */
    readonly nested?: { readonly [Column in keyof Row]?: Nesting<T, RowIn<Row[Column]>> } | undefined;
  };
}[NameOf<T>];

type NestedIn<Shape> = Shape extends { readonly nested: infer Nested extends object } ? Nested : object;
type AliasesIn<Shape> = Shape extends { readonly as: infer As extends object } ? As : object;

type NestedValue<T extends Tables, Value, Shape> = Value extends null | undefined
  ? Value
  : Value extends readonly (infer Row)[]
    ? DecryptNestedResult<T, Row, Shape>[]
    : DecryptNestedResult<T, Value, Shape>;

/** The type of a row that `decryptNested` returns. */
export type DecryptNestedResult<T extends Tables, Row, Shape> = Shape extends {
  readonly table: infer Table extends NameOf<T>;
}
  ? DecryptRowResult<T[Table], Omit<Row, keyof NestedIn<Shape>>, AliasesIn<Shape>> & {
      [Column in keyof Row & keyof NestedIn<Shape>]: NestedValue<T, Row[Column], NestedIn<Shape>[Column]>;
    }
  : never;
