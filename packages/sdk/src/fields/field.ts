import type { Context } from '@eaas/protocol';
import type { Normalization } from './normalize.ts';
import type { Plaintext } from './plaintext.ts';
import type { ValueType } from './value-type.ts';

/** Where a value stands. */
export interface Place {
  readonly table: string;
  readonly field: string;
  /** The row's id, as text. */
  readonly row: string;
}

/** What a field may be told besides its type. */
export interface FieldOptions<Value, B extends Bound = Bound> {
  /**
   * What a ciphertext is bound to, besides its key. `row`, the default: table, field and row id; copied anywhere else it
   * does not open. `field`: table and field only; a copy in another row of the same field does open, so whoever can
   * write to the database can exchange values between rows unseen. Or a function that makes the whole context of a place.
   * A context is not hidden, and may be logged: no personal data. A row id is fine unless it is one, like an address.
   */
  readonly context?: B | ((place: Place) => Context) | undefined;
  /** What else than ciphertexts may stand in the column until all is migrated: `plaintext()`. */
  readonly previous?: Plaintext<Value> | undefined;
  /** Encrypts even what is a ciphertext already. Refused otherwise: it is nearly always a mistake. */
  readonly allowEnvelopes?: true | undefined;
}

/** How a field is searched. `Column` names its index column; `true` stands for `<field>_index`. */
export interface SearchOptions<Column extends string | true> {
  readonly column?: Column | undefined;
  /**
   * How many bits of the fingerprint are kept, 1 to 256 (all of them). With few, different values share one on purpose:
   * the index tells its reader less, and the app drops what it did not look for after decrypting.
   */
  readonly bits?: number | undefined;
  /** The field whose index this one equals, for joins and after a renaming. By default the field itself. */
  readonly boundTo?: { readonly table: string; readonly field: string } | undefined;
}

export interface TextSearchOptions<Column extends string | true> extends SearchOptions<Column> {
  /** Steps that bring alike texts to one spelling, in this order. They change what is searched, not what is stored. */
  readonly normalize?: readonly Normalization[] | undefined;
}

export interface LowEntropySearchOptions<Column extends string | true> extends SearchOptions<Column> {
  /** Said aloud: whoever can have values fingerprinted reads the whole index, by trying all there are. */
  readonly lowEntropy: 'accepted';
}

/** An index as it was defined. */
export interface Index<Value, Column extends string | boolean = string | boolean> {
  readonly column: Column;
  readonly bits: number;
  readonly boundTo: { readonly table: string; readonly field: string } | undefined;
  /** The one spelling of all values that are found alike. */
  normalize(value: Value): Value;
}

/** Whether a field's context needs a row; without one, a single value can be encrypted, and at once. */
export type Bound = 'row' | 'field';

/** An encrypted column. `Column` is its index column's name, `true` for `<field>_index`, `false` where it has none. */
export interface Field<
  Value,
  B extends Bound = Bound,
  Column extends string | boolean = string | boolean,
> extends FieldOptions<Value, B> {
  readonly type: ValueType<Value>;
  readonly index: Index<Value, Column> | undefined;
}

export interface TextField<B extends Bound> extends Field<string, B, false> {
  /**
   * Gives the field an index column, by which rows with an equal value are found. Equal values show as equal, and who
   * can have values fingerprinted can try likely ones: not for what has few, like a postal code.
   */
  searchable<const Column extends string | true = true>(
    options?: TextSearchOptions<Column>,
  ): Field<string, B, NoInfer<Column>>;
}

export interface LowEntropyField<Value, B extends Bound> extends Field<Value, B, false> {
  /** Gives the field an index column, though its values are few or easily listed. Throws InputError unless told so. */
  searchable<const Column extends string | true = true>(
    options: LowEntropySearchOptions<Column>,
  ): Field<Value, B, NoInfer<Column>>;
}
