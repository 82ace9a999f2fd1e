// The methods that encrypt, decrypt and search rows, as an app sees them: the types and hovers of what `defineFields(…).for` returns.
/// <reference lib="esnext.disposable" preserve="true" />
import type { DecryptNestedOptions } from './decrypt-nested.ts';
import type { SettledRow } from './decrypt-rows.ts';
import type { OnError, SubstituteOf, Throwing, ThrowingUnlessErased } from './field-error.ts';
import type { EncryptRowOptions, RowOptions } from './internals.ts';
import type { FieldsQuery, Terms } from './with-fields.ts';
import type {
  Aliases,
  DecryptRowResult,
  EncryptRowResult,
  IdFor,
  NameOf,
  OnlyDefined,
  PlainRow,
  ReadableRow,
  Revealing,
  SubjectRow,
  FieldsTables,
} from './row-types.ts';

/** Options of `decryptRow` and `decryptRows`. */
export interface DecryptRowOptions<As, Handler = OnError, Reveal = Revealing> extends DecryptNestedOptions<
  Handler,
  Reveal
> {
  /**
   * Maps each renamed column to its field, as in `{ patientName: 'name' }`. Map a column to null to return its value
   * unchanged, even if the value is a ciphertext.
   */
  readonly as?: As | undefined;
}

type OrSettled<Row, IsSettled> = IsSettled extends true ? SettledRow<Row> : Row;

/**
 * The methods that encrypt, decrypt and search the rows of a definition. Fields with the value null or undefined stay
 * unchanged.
 */
export interface Records<T extends FieldsTables> {
  /**
   * Acts on behalf of a user of the app, as `client.as` does. Shares everything with these records, also the index keys
   * and `close`, except the data keys for decryption.
   */
  as(user: string): Records<T>;

  /**
   * Encrypts the fields of a row and adds their index columns. Pass the id exactly as the database returns it, because
   * decryption needs the same id. Throws FieldError, and InputError for a column that is not defined.
   *
   * @example
   * ```ts
   * const row = await records.encryptRow('patients', '7', { id: '7', name: 'Ada' });
   * await store(row); // with ciphertexts, and fingerprints in index columns
   * ```
   */
  encryptRow<Table extends NameOf<T>, Row extends PlainRow<T[Table]>>(
    table: Table,
    id: IdFor<T[Table]>,
    row: Row & OnlyDefined<T[Table], Row> & SubjectRow<T[Table]>,
    options?: EncryptRowOptions,
  ): Promise<EncryptRowResult<T[Table], Table, Row>>;

  /**
   * Encrypts many rows, with one request for a data key and one for fingerprints. Throws FieldError if one value fails.
   */
  encryptRows<Table extends NameOf<T>, Row extends PlainRow<T[Table]>>(
    table: Table,
    rows: readonly Row[] & readonly (OnlyDefined<T[Table], Row> & SubjectRow<T[Table]>)[],
    idOf: (row: Row) => IdFor<T[Table]>,
    options?: EncryptRowOptions,
  ): Promise<EncryptRowResult<T[Table], Table, Row>[]>;

  /**
   * Decrypts the fields of a row and removes their index columns. Throws FieldError if a field fails, unless `onError`
   * says what stands for its value, and InputError if the row has no field, but a ciphertext under a name that is not defined.
   *
   * @example
   * ```ts
   * const row = await records.encryptRow('patients', '7', { id: '7', name: 'Ada' });
   * const { name } = await records.decryptRow('patients', '7', row);
   * console.log(name); // Ada
   * ```
   */
  decryptRow<
    Table extends NameOf<T>,
    Row extends object,
    const As extends Aliases<T[Table], Row> = object,
    Handler extends OnError<Row> = Throwing<Row>,
    const Reveal extends Revealing<Row> = [],
  >(
    table: Table,
    id: IdFor<T[Table]>,
    row: Row & ReadableRow<T[Table], Table, Row, As> & SubjectRow<T[Table]>,
    options?: DecryptRowOptions<As, Handler, Reveal>,
  ): Promise<DecryptRowResult<T[Table], Row, As, SubstituteOf<Handler>, Reveal>>;

  /**
   * Decrypts many rows with one request for data keys. Throws the first FieldError, but returns null for the values of
   * erased people. With `onError`, no value that cannot be decrypted fails the others. With `settled: true`, returns the
   * result or the error of each row.
   *
   * @example
   * ```ts
   * const rows = [await records.encryptRow('patients', '7', { id: '7', name: 'Ada' })];
   * const [ada] = await records.decryptRows('patients', rows, ({ id }) => id);
   * console.log(ada?.name); // Ada
   * ```
   */
  decryptRows<
    Table extends NameOf<T>,
    Row extends object,
    const As extends Aliases<T[Table], Row> = object,
    IsSettled extends boolean = false,
    Handler extends OnError<Row> = IsSettled extends true
      ? Throwing<Row>
      : ThrowingUnlessErased<T[Table], Row>,
    const Reveal extends Revealing<Row> = [],
  >(
    table: Table,
    rows: readonly Row[] & readonly (ReadableRow<T[Table], Table, Row, As> & SubjectRow<T[Table]>)[],
    idOf: (row: Row) => IdFor<T[Table]>,
    options?: DecryptRowOptions<As, Handler, Reveal> & { readonly settled?: IsSettled },
  ): Promise<OrSettled<DecryptRowResult<T[Table], Row, As, SubstituteOf<Handler>, Reveal>, IsSettled>[]>;

  /**
   * Returns the fingerprints to search for, by index column: `where('users', { email })`. To search by a part of a
   * value, pass the name of an index of `searchableBy`: `where('users', { ssn: { last4: '6789' } })`.
   *
   * A row matches if its index column contains one of the fingerprints that are returned for this column. A search for
   * a range, or a search while you replace a key or an index key, returns several fingerprints. Some indexes, such as
   * `part.words`, store several parts of each value. For these indexes, the result has one list of fingerprints for each
   * part of the query, and a row matches only if its index column contains a fingerprint from every list. The
   * fingerprints are sorted, so that a statement does not show the order of buckets, words or index keys.
   *
   * Compare the decrypted values with the query: index columns are not authenticated, so an attacker with write access
   * to the database can change them. Throws FieldError, with the code `no_fingerprint` for a value that is empty after
   * normalization.
   *
   * @example
   * ```ts
   * const { name_index } = await records.where('patients', { name: 'Ada' });
   * await pool.query('select * from patients where name_index = any($1)', [`{${name_index.join()}}`]);
   * ```
   */
  where<Table extends NameOf<T>, Q extends FieldsQuery<T[Table]>>(
    table: Table,
    query: Q,
    options?: Pick<RowOptions, 'signal'>,
  ): Promise<Terms<T[Table], Table, Q>>;

  /**
   * Returns the decrypted rows that match a query of `where` exactly. A search by `part.dateRange` also finds the other days
   * of the first and last month, and whoever can write to the database can move fingerprints. Compares whole values
   * after normalization, and bounds of `part.dateRange`; throws InputError for other parts of values. Null matches nothing.
   */
  onlyMatching<Table extends NameOf<T>, Row extends object>(
    table: Table,
    rows: readonly Row[],
    query: FieldsQuery<T[Table]>,
  ): Row[];

  /** Forgets the index keys. Later calls that need an index key throw. Does not close the client. */
  close(): void;
  [Symbol.dispose](): void;
}
