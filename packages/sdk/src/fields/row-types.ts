// The types of rows as the app writes, stores and reads them, so that the compiler refuses plaintext in an encrypted column.
import type { Concealed } from './concealed.ts';
import type { Bound, Concealing, Field, StandardSchema, Unencrypted } from './field.ts';
import type { PartIndex } from './part-index.ts';

/**
 * The type of a ciphertext of the field `Place`, such as `users.email`. Plaintext and ciphertexts of other fields are
 * not assignable to this type. Compiler errors show the name of the property, so this name says what to do.
 */
export type Encrypted<Place extends string, Value> = string & {
  readonly 'encrypt it first: records.encryptRow': readonly [Place, Value];
};

/**
 * The type of an index column. `Place` is the field, such as `users.email`. Several fingerprints are separated by
 * spaces.
 */
export type Fingerprint<Place extends string> = string & {
  readonly 'compute it first: records.encryptRow or records.where': Place;
};

/** What names a person in a row. A number and its decimal text are the same subject. */
type SubjectValue = string | number | bigint;

// The function has the type of a method, so that the app can declare the type of its rows.
/** Where the subject of a row is: the name of a column, or a function of the row. */
export type SubjectSource = string | { of(row: Readonly<Record<string, unknown>>): unknown }['of'];

/**
 * The columns of each table: encrypted fields, and columns that are not encrypted. With the member `subject`, each row is
 * the data of a person, whom this column or function names. The member `lowEntropy: 'accepted'` accepts that whoever can
 * compute fingerprints can find the values of some indexes by brute force: those of numbers, dates and booleans, and of
 * parts of values.
 */
export type FieldsTables = Readonly<
  Record<string, Readonly<Record<string, Field<unknown> | Unencrypted | SubjectSource>>>
>;

/**
 * Reports a compile error for a member other than `subject` and `lowEntropy` that is no column, and for a table that has
 * an index of values that are easy to guess, and does not accept this.
 */
export type OnlyColumns<T> = {
  readonly [Table in keyof T]: string extends keyof T[Table]
    ? unknown
    : {
        readonly [Name in Exclude<keyof T[Table], 'subject' | 'lowEntropy'>]: Field<unknown> | Unencrypted;
      } & ([Guessable<T[Table]>] extends [never] ? unknown : { readonly lowEntropy: 'accepted' });
};

/** The columns of a table whose values can be guessed from their fingerprints. */
type Guessable<F> = {
  [Name in NameOf<F>]: [
    PartColumns<F[Name], Name> | (ValueOf<F[Name]> extends string ? never : IndexColumn<F[Name], Name>),
  ] extends [never]
    ? never
    : Name;
}[NameOf<F>];

type Defined<F> = { [Name in keyof F]: F[Name] extends SubjectSource ? never : Name }[keyof F];
type SubjectColumn<F> = F extends { readonly subject: infer Column extends string } ? Column : never;

/** What a row must have so that it names its subject. */
export type SubjectRow<F> = F extends { readonly subject: infer Source extends SubjectSource }
  ? Source extends string
    ? { readonly [Column in Source]: SubjectValue }
    : Source extends (row: infer Row) => unknown
      ? Row
      : never
  : unknown;

/** The id of a row. A number and its decimal text are the same id. A UUID is the same id in upper and lower case. */
export type RecordId = string | number | bigint;

type Absent = null | undefined;
export type Flat<T> = { [Name in keyof T]: T[Name] } & {};

/** What the app reads from a field. */
export type ValueOf<F> = F extends Field<infer Value> ? Value : never;
/** What the app writes into a field, and the database stores. */
export type InputOf<F> = F extends { schema: StandardSchema<infer Input, unknown> } ? Input : ValueOf<F>;
export type NameOf<T> = keyof T & string;

/** The names of a table's fields. */
export type FieldName<F> = {
  [Name in NameOf<F>]: F[Name] extends Field<unknown> ? Name : never;
}[NameOf<F>];

export type IndexColumn<F, Name> =
  F extends Field<unknown, Bound, infer Column>
    ? Column extends true
      ? `${Name & string}_index`
      : Column & string
    : never;

export type PartsOf<F> = F extends Field<unknown, Bound, string | boolean, infer Parts> ? Parts : object;

export type PartColumn<Index, Name, Part> =
  Index extends PartIndex<never, never, boolean, infer Column>
    ? Column extends true
      ? `${Name & string}_${Part & string}_index`
      : Column & string
    : never;

type PartColumns<F, Name> = {
  [Part in keyof PartsOf<F>]: PartColumn<PartsOf<F>[Part], Name, Part>;
}[keyof PartsOf<F>];

type AllColumns<F, Name> = IndexColumn<F, Name> | PartColumns<F, Name>;

/** The names of a table's index columns. */
export type IndexColumns<F> = { [Name in keyof F]: AllColumns<F[Name], Name> }[keyof F];

type IndexValue<Place extends string, Value> = Fingerprint<Place> | (Value extends string ? null : never);

export type Searchable<F> = {
  [Name in NameOf<F>]: [AllColumns<F[Name], Name>] extends [never] ? never : Name;
}[NameOf<F>];

export type Plain<Value> = Value extends string
  ? Value & {
      readonly 'encrypt it first: records.encryptRow'?: never;
      readonly 'compute it first: records.encryptRow or records.where'?: never;
    }
  : Value;

type Stored<Place extends string, Value> =
  | (string & { readonly 'encrypt it first: records.encryptRow'?: readonly [Place, Value] })
  | Exclude<Value, string>;

/** A row with plaintext values. A row for an update can omit columns. */
export type PlainRow<F> = {
  readonly [Name in Defined<F>]?: F[Name] extends Unencrypted ? unknown : Plain<InputOf<F[Name]>> | Absent;
};

/** Reports a compile error for columns that the definition does not list. */
export type OnlyDefined<F, Row> = {
  readonly [Name in Exclude<keyof Row, Defined<F> | SubjectColumn<F> | IndexColumns<F>>]: {
    readonly 'not in the definition: add a field, or list it with unencrypted()': never;
  };
};

/** The type of a row after encryption, with ciphertexts and index columns. All other columns are unchanged. */
export type EncryptRowResult<F, Table extends string, Row> = Flat<
  {
    [Name in keyof Row as Name extends IndexColumns<F> ? never : Name]: Name extends FieldName<F>
      ? Encrypted<`${Table}.${Name}`, InputOf<F[Name]>> | Extract<Row[Name], Absent>
      : Row[Name];
  } & {
    [Name in keyof Row as Name extends keyof F ? IndexColumn<F[Name], Name> : never]: Name extends keyof F
      ? IndexValue<`${Table}.${Name & string}`, ValueOf<F[Name]>> | Extract<Row[Name], Absent>
      : never;
  } & {
    [Name in keyof Row as Name extends keyof F ? PartColumns<F[Name], Name> : never]:
      | Fingerprint<`${Table}.${Name & string}`>
      | null
      | Extract<Row[Name], undefined>;
  }
>;

/** Maps each renamed column to its field. If a column is mapped to null, its value is not decrypted. */
export type Aliases<F, Row> = { readonly [Column in keyof Row]?: FieldName<F> | null };

type FieldOf<As, Column> = Column extends keyof As ? As[Column] : Column;

/** The type of a row to decrypt: the column of a field must contain a ciphertext of this field. */
export type ReadableRow<F, Table extends string, Row, As = object> = {
  readonly [Column in keyof Row]: FieldOf<As, Column> extends infer Name
    ? Name extends FieldName<F>
      ? Stored<`${Table}.${Name}`, InputOf<F[Name]>> | Absent
      : unknown
    : never;
};

/**
 * The type of a row after decryption, with plaintext values and without index columns. All other columns are unchanged.
 * `Substitute` is what the option `onError` returns for a value that cannot be decrypted.
 */
export type DecryptRowResult<F, Row, As = object, Substitute = never, Reveal = []> = Flat<{
  [Column in keyof Row as Column extends IndexColumns<F> ? never : Column]: FieldOf<
    As,
    Column
  > extends infer Name
    ? Name extends FieldName<F>
      ? ReadOf<F[Name], Column, Reveal, Substitute> | Extract<Row[Column], Absent> | Substitute
      : Row[Column]
    : never;
}>;

/** The columns whose concealed values a call returns, or all. */
export type Revealing<Row = Record<string, unknown>> = true | readonly (keyof Row)[];

type ColumnsOf<Reveal> = Reveal extends readonly (infer Name)[] ? Name : PropertyKey;

/** What a call returns of a field. `Substitute` can also be what `reveal` returns later. */
export type ReadOf<F, Column = '', Reveal = [], Substitute = never> = F extends Concealing
  ? Column extends ColumnsOf<Reveal>
    ? ValueOf<F>
    : Concealed<ValueOf<F> | Substitute>
  : ValueOf<F>;

type WithoutRow<F> = {
  [Name in NameOf<F>]: F[Name] extends Field<unknown, 'field'> ? Name : never;
}[NameOf<F>];

export type IdFor<F> = [FieldName<F>] extends [WithoutRow<F>] ? RecordId | undefined : RecordId;

export type PlaceOf<T> = { [Table in NameOf<T>]: `${Table}.${FieldName<T[Table]>}` }[NameOf<T>];

/**
 * The type of a stored row of a table. Use it for the types of a database library:
 * `EncryptedRow<typeof fields, 'users', User>`.
 */
export type EncryptedRow<
  Definition extends { readonly tables: FieldsTables },
  Table extends NameOf<Definition['tables']>,
  Row = {
    [Name in FieldName<Definition['tables'][Table]>]: InputOf<Definition['tables'][Table][Name]>;
  },
> = EncryptRowResult<Definition['tables'][Table], Table, Row>;
