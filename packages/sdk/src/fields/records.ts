/// <reference lib="esnext.disposable" preserve="true" />
import type { SettledRow } from './decrypt-rows.ts';
import type { ReadCount } from './reads.ts';
import type {
  Encrypted,
  FieldInput,
  FieldValue,
  IdFor,
  NameOf,
  OpenedRow,
  PlaceOf,
  PlainRow,
  Query,
  SealedRow,
  Stored,
  StoredRow,
  Tables,
  Terms,
  WithoutRow,
} from './row-types.ts';
import type { RowOptions } from './setting.ts';

type Absent = null | undefined;

/**
 * The fields of a definition, under the keys of a client. Columns that are not defined pass as they are. null stays null
 * and undefined undefined: whether there is a value shows.
 */
export interface Records<T extends Tables> {
  /**
   * Encrypts the fields that the row has, and adds their index columns. The id is bound to the ciphertexts: it must be
   * known, and the same when they are decrypted. Throws FieldError.
   */
  encryptRow<Table extends NameOf<T>, Row extends PlainRow<T[Table]>>(
    table: Table,
    id: IdFor<T[Table]>,
    row: Row,
    options?: RowOptions,
  ): Promise<SealedRow<T[Table], Table, Row>>;

  /** As encryptRow, with one request for all rows where one is needed at all. Where one value fails, none is answered. */
  encryptRows<Table extends NameOf<T>, Row extends PlainRow<T[Table]>>(
    table: Table,
    rows: readonly Row[],
    idOf: (row: Row) => IdFor<T[Table]>,
    options?: RowOptions,
  ): Promise<SealedRow<T[Table], Table, Row>[]>;

  /** Decrypts the fields that the row has, and leaves out index columns. Throws FieldError. */
  decryptRow<Table extends NameOf<T>, Row extends StoredRow<T[Table], Table>>(
    table: Table,
    id: IdFor<T[Table]>,
    row: Row,
    options?: RowOptions,
  ): Promise<OpenedRow<T[Table], Row>>;

  /**
   * As decryptRow, with one request for the data keys of all rows. Throws the first FieldError; with `settled`, each row
   * is answered by itself.
   */
  decryptRows<Table extends NameOf<T>, Row extends StoredRow<T[Table], Table>>(
    table: Table,
    rows: readonly Row[],
    idOf: (row: Row) => IdFor<T[Table]>,
    options: RowOptions & { readonly settled: true },
  ): Promise<SettledRow<OpenedRow<T[Table], Row>>[]>;
  decryptRows<Table extends NameOf<T>, Row extends StoredRow<T[Table], Table>>(
    table: Table,
    rows: readonly Row[],
    idOf: (row: Row) => IdFor<T[Table]>,
    options?: RowOptions,
  ): Promise<OpenedRow<T[Table], Row>[]>;

  /**
   * What to look for: for each index column, the fingerprints of which a row has one. The first is the one that is
   * written now; there are more while a key or an index changes. Index columns are not authenticated: whoever can write
   * to the database can move them, so compare the decrypted value where that matters. Throws FieldError.
   */
  where<Table extends NameOf<T>, Q extends Query<T[Table]>>(
    table: Table,
    query: Q,
    options?: Pick<RowOptions, 'signal'>,
  ): Promise<Terms<T[Table], Table, Q>>;

  /**
   * Encrypts one value at once, for the column types of an ORM. Only for a field that says `context: 'field'`, because
   * they know no row. Makes no index column. Throws FieldError, `not_primed` unless `client.prime()` came before.
   */
  encryptFieldSync<
    Table extends NameOf<T>,
    Name extends WithoutRow<T[Table]>,
    Given extends FieldInput<T[Table], Name> | Absent,
  >(
    table: Table,
    field: Name,
    value: Given,
    options?: Omit<RowOptions, 'signal'>,
  ): Encrypted<`${Table}.${Name}`, FieldValue<T[Table], Name>> | Extract<Given, Absent>;

  /** Decrypts one value at once. Throws FieldError, `not_primed` unless `client.prime({ ciphertexts })` came before. */
  decryptFieldSync<
    Table extends NameOf<T>,
    Name extends WithoutRow<T[Table]>,
    Given extends Stored<`${Table}.${Name}`, FieldValue<T[Table], Name>> | Absent,
  >(
    table: Table,
    field: Name,
    stored: Given,
    options?: Omit<RowOptions, 'signal'>,
  ): FieldValue<T[Table], Name> | Extract<Given, Absent>;

  /** What was read of each field since the beginning, by this process: plaintext, and ciphertext. */
  reads(): Record<PlaceOf<T>, ReadCount>;

  /** Forgets the index keys. The client stays as it is: it is yours to close. */
  close(): void;
  [Symbol.dispose](): void;
}
