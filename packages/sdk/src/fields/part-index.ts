// What an index by a part of a value is: which parts a stored value has, and which ones a search looks for.
import { countFrom, type OptionRules, requireOptions } from '@eaas/protocol/internal';
import { type Normalization, normalizer } from './normalize.ts';
import { textType, type ValueType } from './value-types.ts';

/** Options of an index that finds rows by a part of a value. */
export interface PartOptions<Column extends string | true> {
  /**
   * The name of the index column. Defaults to `true`, which means `<field>_<index>_index`, and `<field>_index` for
   * `searchable`.
   */
  readonly column?: Column | undefined;
  /**
   * The length of a fingerprint in bits, from 1 to 256 (the default). With a short length, different values can have
   * the same fingerprint, so a fingerprint reveals less about its value. A search then also finds rows with other
   * values: compare the decrypted values with the query.
   */
  readonly bits?: number | undefined;
}

/** Options of an index that finds rows by a part of a text. */
export interface TextPartOptions<Column extends string | true> extends PartOptions<Column> {
  /**
   * The steps, in order, that normalize a text before its parts are computed. Defaults to `nfkc`, `lowercase`,
   * `accents`, `spaces` and `trim`.
   */
  readonly normalize?: readonly Normalization[] | undefined;
}

/** A value of a field. */
export interface TypedValue<Value = unknown> {
  readonly name: string;
  readonly type: ValueType<Value>;
  readonly value: Value;
}

/** An index that finds rows by a part of a value. */
export interface PartIndex<
  Value,
  Query = Value,
  IsList extends boolean = boolean,
  Column extends string | true = string | true,
> {
  readonly column: Column;
  readonly bits: number;
  /**
   * Whether a value can have several parts. The index column then contains several fingerprints, separated by spaces.
   */
  readonly isList: IsList;
  /** The names of the other fields that the index covers, if there are any. */
  readonly others?: readonly string[] | undefined;
  /** Returns the parts of a stored value. `others` are the values of the other fields that the index covers. */
  partsOf(first: TypedValue<Value>, ...others: readonly TypedValue[]): readonly (string | Uint8Array)[];
  /**
   * Returns the parts to search for. With `isList`, a row must have all these parts to match. Without `isList`, one of
   * these parts is enough. `fields` are the fields that the index covers. Throws InputError for an invalid query.
   */
  soughtBy(query: Query, ...fields: readonly Omit<TypedValue, 'value'>[]): readonly (string | Uint8Array)[];
  /** Whether one of the parts to search for is enough, although `isList`. */
  readonly isAny?: boolean | undefined;
  /** Compares decrypted values with a query. Absent if only the app can compare. */
  readonly comparison?: PartComparison<Query> | undefined;
}

/** How an index compares decrypted values with a query. Both functions throw InputError for an invalid query. */
interface PartComparison<Query = unknown> {
  /** Whether the database alone can answer the query, because it finds no row that does not match. */
  isWhole(query: Query): boolean;
  /** Whether a decrypted value matches the query. */
  accepts(value: unknown, query: Query): boolean;
}

/** The indexes that `searchableBy` added to a field, by name. */
export type PartIndexes<Value> = Readonly<Record<string, PartIndex<Value, never>>>;

export interface TextRule<IsList extends boolean> {
  readonly isList: IsList;
  partsOf(text: string): readonly string[];
  soughtBy(text: string): readonly string[];
}

export function textIndex<IsList extends boolean, Column extends string | true>(
  name: string,
  rule: TextRule<IsList>,
  options: TextPartOptions<Column>,
): PartIndex<string, string, IsList, Column> {
  const index = indexOf(name, textPartOptions, options);
  const fold = foldOf(options);
  return {
    ...index,
    isList: rule.isList,
    partsOf: ({ value }) => rule.partsOf(fold(value)),
    soughtBy(query) {
      // Checks the type: `encode` throws for a query that is not a string, and `fold` does not.
      textType.encode(query);
      return rule.soughtBy(fold(query));
    },
  };
}

export function indexOf<Column extends string | true>(
  name: string,
  rules: OptionRules<PartOptions<string>>,
  options: PartOptions<Column>,
) {
  requireOptions<object>(rules, options, name);
  return sizeOf(options);
}

export const sizeRules: OptionRules<PartOptions<string>> = {
  column: 'text',
  bits: /* @__PURE__ */ countFrom(1, 256),
};

export function sizeOf<Column extends string | true>({ column, bits = 256 }: PartOptions<Column>) {
  return { column: column ?? (true as Column), bits };
}

export const textPartOptions: OptionRules<TextPartOptions<string>> = {
  ...sizeRules,
  normalize: 'anything',
};

export function foldOf({ normalize }: TextPartOptions<string | true>): (text: string) => string {
  return normalizer(normalize ?? ['nfkc', 'lowercase', 'accents', 'spaces', 'trim']);
}
