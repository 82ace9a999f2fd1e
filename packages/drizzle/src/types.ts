import type { Column, GetColumnData, SQL } from 'drizzle-orm';
import type { FieldsQuery, PartIndex } from '@eaas/sdk/fields';

declare const column: unique symbol;

/**
 * An encrypted column of a table. It is not assignable to Drizzle's columns: use the operators of this package, or
 * `db.select({ … })`.
 */
export interface EncryptedColumn<C> {
  readonly [column]: C;
  /** Only a type: its name is what editors show if a column is passed to an operator or a clause of Drizzle. */
  readonly getSQL: {
    readonly 'this column is encrypted: use the operators of @eaas/drizzle, or compute after decryption': never;
  };
}

/** The requirement of operators that compare: editors show its name for a column without an index. */
export type Searched<C> = C extends { readonly _: { readonly searchable: true } }
  ? unknown
  : { readonly 'this column has no index: add .searchable() to search it': never };

/** The requirement of `matches`: editors show its name for a column without an index of parts. */
export type SearchedBy<C> = C extends { readonly _: { readonly parts: object } }
  ? unknown
  : { readonly 'this column has no index of parts: add .searchableBy({ … }) to search it': never };

/** The values of a column, and the indexes of `searchableBy`. */
export type DataOf<C> = C extends { readonly _: { readonly data: infer Value } } ? Value : never;
export type PartsOf<C> = C extends { readonly _: { readonly parts: infer Parts } } ? Parts : never;

interface Encrypted {
  readonly _: { readonly encrypted: true };
}

export type Accessible<Columns> = {
  readonly [Key in keyof Columns]: Columns[Key] extends Encrypted
    ? EncryptedColumn<Columns[Key]>
    : Columns[Key];
};

/** The fields of a query. `Substitute` is what `onError` returns for a value that cannot be decrypted. */
export type OpenedFields<Fields, Substitute = never> = {
  [Key in keyof Fields]: Fields[Key] extends EncryptedColumn<infer C>
    ? [Substitute] extends [never]
      ? C
      : C extends Column
        ? SQL<GetColumnData<C> | Substitute | null>
        : never
    : Fields[Key] extends { readonly _: unknown }
      ? Fields[Key]
      : OpenedFields<Fields[Key], Substitute>;
};

/** An encrypted column with an index column. */
export type SearchableColumn<Value> = EncryptedColumn<{
  readonly _: { readonly searchable: true; readonly data: Value };
}>;

/**
 * The second argument of `matches`: an object that maps the name of an index of `searchableBy` to the value to search
 * for. For an index of `withFields`, this value is an object with a value for each column.
 */
export type PartsQuery<Parts> = {
  readonly [Part in keyof Parts]?: Parts[Part] extends PartIndex<never, infer Query>
    ? Query extends FieldsQuery<string>
      ? Readonly<Record<string, unknown>>
      : Query
    : never;
};

export type TransactionOf<Database> = Database extends {
  transaction(run: (transaction: infer Transaction extends object) => Promise<unknown>): unknown;
}
  ? Transaction
  : never;
