// The types of a field: its options, its indexes, and how it reads what its column held before.
import type { Context } from '@eaas/protocol';
import type { Normalization } from './normalize.ts';
import type { PartIndexes, PartOptions } from './part-index.ts';
import type { ValueType } from './value-types.ts';

/** Identifies a value by its table, its field and the id of its row. */
export interface FieldPlace {
  readonly table: string;
  readonly field: string;
  /** The id of the row as text. A UUID is in lower case. */
  readonly row: string;
}

/** The names of a table and a field. */
export type Names = Omit<FieldPlace, 'row'>;

/** Options of `plaintext`. */
export interface PlaintextOptions<Value> {
  /**
   * Returns what the version of the app before this one stores for a value: text, or bytes. While it is set, the field still
   * writes this, so that both versions can run at once.
   */
  write?(value: Value): string | Uint8Array | Promise<string | Uint8Array>;
  /** Other columns that `read` needs, such as one with the initialization vector. It gets them as its second argument. */
  readonly columns?: readonly string[] | undefined;
}

/** Defines how a field reads plaintext that is still stored in its column. */
export interface Plaintext<Value> extends PlaintextOptions<Value> {
  /** Converts the stored plaintext to a value of the field. Throws if the plaintext is not a valid value. */
  read(stored: unknown, row: Readonly<Record<string, unknown>>): Value | Promise<Value>;
}

type Result<T> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly object[] };

/**
 * A schema that follows the Standard Schema specification, as those of Zod, Valibot and ArkType do: https://standardschema.dev.
 * `Input` is what it accepts, and `Output` what it makes of that.
 *
 * @example
 * ```ts
 * import { defineFields, field, type StandardSchema } from '@eaas/sdk/fields';
 * import { z } from 'zod';
 *
 * const tags: StandardSchema<string[]> = z.array(z.string());
 * const fields = defineFields({ users: { tags: field.json(tags) } });
 * ```
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    /** Returns what it makes of a value, or why it refuses it. Must not return a promise. */
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** Options of every field. */
export interface FieldOptions<Value, B extends Bound = Bound> {
  /**
   * The context of each value. `row` (the default) means table, field and row id: a ciphertext cannot be decrypted in
   * another row or field. `field` means table and field: anyone who can write to the database can swap the values of
   * two rows unnoticed. A function returns the whole context. Contexts can appear in logs, so they must not contain
   * personal data.
   */
  readonly context?: B | ((place: FieldPlace) => Context) | undefined;
  /** Set this option to `plaintext()` during a migration, to read plaintext that is still in the column. */
  readonly previous?: Plaintext<Value> | undefined;
  /**
   * The names that the table and the field had before, the newest first. Values open under the present and each earlier name, and
   * searches ask for the fingerprints of all. New values are written under the newest of these, because the version of the app
   * before reads no other, until `write` is set.
   */
  readonly renamedFrom?: Omit<FieldPlace, 'row'> | readonly Omit<FieldPlace, 'row'>[] | undefined;
  /** Beside `renamedFrom`, `present` writes new values under the present name, once each version that runs knows it. */
  readonly write?: 'present' | undefined;
  /**
   * Allows values that are already ciphertexts. By default, encrypting a ciphertext throws FieldError, because a second
   * encryption is usually a mistake.
   */
  readonly allowCiphertexts?: true | undefined;
}

/** Options of a searchable field. */
export interface SearchOptions<Column extends string | true> extends PartOptions<Column> {
  /**
   * The names of a table and a field that are part of each fingerprint. Defaults to the names of this table and field.
   * To join two fields, set `boundTo` of one field to the names of the other field: equal values in both fields then
   * have the same fingerprint. If the index is unique or joined, a field with `renamedFrom` needs its earlier names here.
   */
  readonly boundTo?: { readonly table: string; readonly field: string } | undefined;
}

/** Options of a searchable text field. */
export interface TextSearchOptions<Column extends string | true> extends SearchOptions<Column> {
  /**
   * The steps, in order, that convert similar texts to one text before the fingerprint is computed. The stored value
   * does not change.
   */
  readonly normalize?: readonly Normalization[] | undefined;
}

/** The index of a searchable field. */
export interface Index<Value, Column extends string | boolean = string | boolean> {
  readonly column: Column;
  readonly bits: number;
  readonly boundTo: { readonly table: string; readonly field: string } | undefined;
  /**
   * Normalizes a value before its fingerprint is computed. Values with the same normalized value have the same
   * fingerprint, so a search finds all of them.
   */
  normalize(value: Value): Value;
}

/**
 * `row` means that the context of a field contains the row id. `field` means that the context does not contain the row
 * id.
 */
export type Bound = 'row' | 'field';

/**
 * An encrypted column. `Column` is the name of the index column: `true` means `<field>_index`, and `false` means no
 * index column.
 */
export interface Field<
  Value,
  B extends Bound = Bound,
  Column extends string | boolean = string | boolean,
  Parts = object,
> extends FieldOptions<Value, B> {
  /** How the values of this type become bytes. */
  readonly type: ValueType<Value>;
  /** What `searchable` added to the field. */
  readonly index: Index<Value, Column> | undefined;
  /** The indexes that `searchableBy` added to a field, by name. */
  readonly parts?: Parts | undefined;
  /** The schema of a field of JSON. */
  readonly schema?: StandardSchema | undefined;
  /** What `concealed` added to the field. */
  readonly isConcealed?: true;
}

/** A field whose values are read as handles. */
export interface Concealing {
  readonly isConcealed: true;
}

/** A field that can be concealed. */
export type Concealable<F> = F & {
  /**
   * Reads the values of the field as handles (`Concealed`), which no log, response or prompt shows, until the app calls `reveal`.
   * This is no permission: whoever holds a row in this process can reveal it. Changes nothing of what is stored. A boolean cannot be
   * concealed, because `if (row.x)` would always hold.
   */
  concealed(this: F extends Field<boolean> ? NoBoolean<F> : object): F & Concealing;
};

/** A field of `any` is also one of texts. */
type NoBoolean<F> = F extends Field<string> ? object : { readonly 'a boolean cannot be concealed': never };

/** A field to which `searchableBy` can add indexes. */
export interface SearchableField<Value, B extends Bound, Column extends string | boolean> extends Concealable<
  Field<Value, B, Column>
> {
  /**
   * Adds indexes that find rows by a part of the value: `field.text().searchableBy({ last4: part.lastCharacters(4) })`. Parts
   * are easy to guess, so the table must accept this (`lowEntropy`), and their fingerprints are computed only under an
   * index key, never by the service.
   */
  searchableBy<const Parts extends PartIndexes<Value>>(
    parts: Parts,
  ): Concealable<Field<Value, B, Column, Parts>>;
}

/** A column that is not encrypted. */
export interface Unencrypted {
  readonly unencrypted: true;
}

/** An encrypted column of text. */
export interface TextField<B extends Bound> extends SearchableField<string, B, false> {
  /**
   * Adds an index column, so that a search can find a value. Anyone who can compute fingerprints can guess texts with
   * few possible values, such as postal codes.
   */
  searchable<const Column extends string | true = true>(
    options?: TextSearchOptions<Column>,
  ): SearchableField<string, B, NoInfer<Column>>;
}

/** An encrypted column whose values are easy to guess, such as numbers. */
export interface LowEntropyField<Value, B extends Bound> extends SearchableField<Value, B, false> {
  /**
   * Adds an index column, so that a search can find the rows with a given value. Anyone who can compute fingerprints can
   * find every value by brute force, so the table must accept this: `lowEntropy: 'accepted'`.
   */
  searchable<const Column extends string | true = true>(
    options?: SearchOptions<Column>,
  ): SearchableField<Value, B, NoInfer<Column>>;
}
