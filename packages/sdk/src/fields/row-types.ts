import type { Bound, Field } from './field.ts';

declare const kept: unique symbol;

/** Ciphertext of the field `Place`, as `users.email`: no plaintext and no other field's can stand where this must. */
export type Encrypted<Place extends string, Value> = string & { readonly [kept]: readonly [Place, Value] };

/** A fingerprint of the field `Place`, in its index column. */
export type Fingerprint<Place extends string> = string & { readonly [kept]: readonly [Place] };

type Fields = Readonly<Record<string, Field<unknown>>>;
/** The fields of each table, by the names of the columns. */
export type Tables = Readonly<Record<string, Fields>>;

/** The id of a row. A number and its decimal text are the same id. */
export type RowId = string | number | bigint;

type Absent = null | undefined;
type Flat<T> = { [Name in keyof T]: T[Name] } & {};
type ValueOf<F> = F extends Field<infer Value> ? Value : never;
export type NameOf<T> = keyof T & string;

/** The name of a field's index column; never where it has none. */
type IndexColumn<F, Name> =
  F extends Field<unknown, Bound, infer Column>
    ? Column extends true
      ? `${Name & string}_index`
      : Column & string
    : never;

type IndexColumns<F> = { [Name in keyof F]: IndexColumn<F[Name], Name> }[keyof F];

/** The fields of a table that can be searched. */
export type Searchable<F> = {
  [Name in NameOf<F>]: [IndexColumn<F[Name], Name>] extends [never] ? never : Name;
}[NameOf<F>];

/** A value of the app's: text, unless it is known to be a ciphertext. */
type Plain<Value> = Value extends string ? Value & { readonly [kept]?: never } : Value;

/** What a column may hold when it is read: its own ciphertext, text of unknown origin, or a value not yet migrated. */
export type Stored<Place extends string, Value> =
  | (string & { readonly [kept]?: readonly [Place, Value] })
  | Exclude<Value, string>;

/** A row with values for the fields that it has. */
export type PlainRow<F> = { readonly [Name in keyof F]?: Plain<ValueOf<F[Name]>> | Absent };

/** A row with what is stored for the fields that it has. */
export type StoredRow<F, Table extends string> = {
  readonly [Name in keyof F]?: Stored<`${Table}.${Name & string}`, ValueOf<F[Name]>> | Absent;
};

/** A row after encryption: ciphertexts for values, index columns beside them, all else as it was. */
export type SealedRow<F, Table extends string, Row> = Flat<
  {
    [Name in keyof Row as Name extends IndexColumns<F> ? never : Name]: Name extends keyof F
      ? Encrypted<`${Table}.${Name & string}`, ValueOf<F[Name]>> | Extract<Row[Name], Absent>
      : Row[Name];
  } & {
    [Name in keyof Row as Name extends keyof F ? IndexColumn<F[Name], Name> : never]:
      | Fingerprint<`${Table}.${Name & string}`>
      | Extract<Row[Name], Absent>;
  }
>;

/** A row after decryption: values for ciphertexts, no index columns, all else as it was. */
export type OpenedRow<F, Row> = Flat<{
  [Name in keyof Row as Name extends IndexColumns<F> ? never : Name]: Name extends keyof F
    ? ValueOf<F[Name]> | Extract<Row[Name], Absent>
    : Row[Name];
}>;

/** The fields to search by, and the value of each. */
export type Query<F> = { readonly [Name in Searchable<F>]?: Plain<ValueOf<F[Name]>> };

/** For each index column, the fingerprints that a row to be found may have there. */
export type Terms<F, Table extends string, Q> = Flat<{
  [
    Name in keyof Q as Name extends keyof F ? IndexColumn<F[Name], Name> : never
  ]: Fingerprint<`${Table}.${Name & string}`>[];
}>;

/** The fields that are encrypted without a row. */
export type WithoutRow<F> = {
  [Name in NameOf<F>]: F[Name] extends Field<unknown, 'field'> ? Name : never;
}[NameOf<F>];

export type FieldValue<F, Name extends keyof F> = ValueOf<F[Name]>;
export type FieldInput<F, Name extends keyof F> = Plain<ValueOf<F[Name]>>;

/** A row's id, which may be unknown only where no field is bound to it. */
export type IdFor<F> = [NameOf<F>] extends [WithoutRow<F>] ? RowId | undefined : RowId;

/** The names of all fields: `users.email`. */
export type PlaceOf<T> = { [Table in NameOf<T>]: `${Table}.${NameOf<T[Table]>}` }[NameOf<T>];

/** The rows of a table as they are stored, for the types of a database layer: `EncryptedRow<typeof fields, 'users', User>`. */
export type EncryptedRow<
  Definition extends { readonly tables: Tables },
  Table extends NameOf<Definition['tables']>,
  Row = { [Name in keyof Definition['tables'][Table]]: ValueOf<Definition['tables'][Table][Name]> },
> = SealedRow<Definition['tables'][Table], Table, Row>;
